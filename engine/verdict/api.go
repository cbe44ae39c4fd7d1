package verdict

import "fmt"

// Keys of the requests that facts are kept about.
const (
	apiFetch       = 1
	apiOffsetFetch = 9
	apiJoinGroup   = 11
)

func unknownAPI(name string) error {
	return fmt.Errorf("no such request %q; write its name in the protocol, as Fetch or JoinGroup", name)
}
