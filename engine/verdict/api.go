package verdict

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Keys of the requests that facts are kept about.
const (
	apiFetch       = 1
	apiOffsetFetch = 9
	apiJoinGroup   = 11
)

// apiKey finds the key of a request by its name in the protocol, as Fetch.
func apiKey(name string) (int32, bool) {
	for key := int16(0); key <= kmsg.MaxKey; key++ {
		if kmsg.NameForKey(key) == name {
			return int32(key), true
		}
	}
	return 0, false
}

func apiName(key int32) string { return kmsg.NameForKey(int16(key)) }

func unknownAPI(name string) error {
	return fmt.Errorf("no such request %q; write its name in the protocol, as Fetch or JoinGroup", name)
}
