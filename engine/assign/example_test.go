package assign_test

import (
	"fmt"

	"rebalancelab/engine/assign"
)

func Example() {
	members := []assign.Member{
		{ID: "A-1", Topics: []string{"order_events"}},
		{ID: "B-1", Topics: []string{"order_events"}},
	}
	topics := []assign.Topic{{Name: "order_events", Partitions: 5}}
	for _, m := range assign.Assign("range", members, topics) {
		fmt.Println(m.ID, m.Partitions)
	}
	// Output:
	// A-1 [order_events-0 order_events-1 order_events-2]
	// B-1 [order_events-3 order_events-4]
}
