package wire_test

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

func Example() {
	req := kmsg.NewPtrHeartbeatRequest()
	req.SetVersion(wire.Pick(wire.KeyHeartbeat))
	req.Group, req.MemberID, req.Generation = "seller_read_db", "A-1", 3
	f, err := wire.DecodeRequest(wire.NewRequest(7, "A", req).Encode())
	if err != nil {
		panic(err)
	}
	resp := kmsg.NewPtrHeartbeatResponse()
	resp.ErrorCode = int16(wire.RebalanceInProgress)
	reply := f.Reply(resp)
	fmt.Println(f.APIName(), f.Version, reply.Corr, wire.Code(wire.ErrorCode(reply)))
	// Output: Heartbeat 4 7 REBALANCE_IN_PROGRESS
}
