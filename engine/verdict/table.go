package verdict

// Parameters that many queries share.
var (
	pNode     = Param{Name: "node", Type: ParamNode, Positional: true}
	pWho      = Param{Name: "who", Type: ParamWho, Positional: true}
	pGroupArg = Param{Name: "group", Type: ParamGroup, Positional: true}
	pGroupOpt = Param{Name: "group", Type: ParamGroup, Positional: true, Optional: true}
	pPart     = Param{Name: "partition", Type: ParamPartition, Positional: true}
	pTopic    = Param{Name: "topic", Type: ParamTopic, Positional: true}
	pTopicOpt = Param{Name: "topic", Type: ParamTopic, Positional: true, Optional: true}
	pThing    = Param{Name: "name", Type: ParamThing, Positional: true}
	pStore    = Param{Name: "name", Type: ParamText, Positional: true}

	pCopy   = Param{Name: "node", Type: ParamNode, Optional: true}
	pReader = Param{Name: "node", Type: ParamNode, Optional: true}
	pGroup  = Param{Name: "group", Type: ParamGroup, Optional: true}
	pSince  = Param{Name: "since", Type: ParamTime, Optional: true}
	pAfter  = Param{Name: "after", Type: ParamTime, Optional: true}
	pTo     = Param{Name: "to", Type: ParamTime, Optional: true}
	pBefore = Param{Name: "before", Type: ParamTime, Optional: true}
	pAt     = Param{Name: "at", Type: ParamTime, Optional: true}
	pNth    = Param{Name: "nth", Type: ParamNumber, Optional: true}
)

// Table lists every query. Where a group parameter is left out, the one group that reads the
// partition is meant. Without since= the question is about the whole run; nth= counts from 1 and
// means the last when left out.
var Table = []Signature{
	// Delivery.
	{Name: "lost", Params: []*Param{&pTopic, &pGroup}, Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that the group's committed offset passed, that no process of the group finished " +
			"and that no living one still has in work."},
	{Name: "duplicates", Params: []*Param{&pTopic, &pGroup}, Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that processes of the group finished more than once."},
	{Name: "processed", Params: []*Param{&pWho, &pTopicOpt}, Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that a process or a group finished at least once."},
	{Name: "completions", Params: []*Param{&pWho, &pTopicOpt, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often a handler of the process or group finished a record, repetitions included."},
	{Name: "in_work", Params: []*Param{&pTopic, &pGroup}, Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that living processes of the group were handed and have not finished yet."},
	{Name: "first_record", Params: []*Param{&pNode, &pTopicOpt, &pAfter}, Result: KindTime,
		Doc: "When poll returned records to the process for the first time after a moment."},
	{Name: "resumed", Params: []*Param{&pTopic, &pAfter, &pGroup}, Result: KindTime,
		Doc: "When a record of the partition was finished for the first time after a moment."},
	{Name: "delay_max", Params: []*Param{&pTopic, &pGroup, &pSince, &pTo}, Result: KindDuration,
		Doc: "The longest time from a record's arrival in the log to the poll that returned it first."},
	{Name: "delay_mean", Params: []*Param{&pTopic, &pGroup, &pSince, &pTo}, Result: KindDuration,
		Doc: "The mean time from a record's arrival in the log to the poll that returned it first."},

	{Name: "out_of_order", Params: []*Param{&pTopic, &pGroup}, Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that the group finished for the first time after a later one of the partition; of a " +
			"neighbour, messages finished after a later one of the same key."},

	// Neighbours: lost, duplicates, processed, completions, in_work, produced and out_of_order answer for
	// them too, with the numbers of messages.
	{Name: "pending", Params: []*Param{&pThing, &pReader, &pGroup, &pAt}, Result: KindOffsets,
		Doc: "Messages of a stream or a queue that were given out and not acknowledged."},
	{Name: "redelivered", Params: []*Param{&pThing, &pGroup}, Result: KindOffsets,
		Doc: "Messages of a stream or a queue that were given out more than once."},
	{Name: "buffer_max", Params: []*Param{&pThing, &pReader, &pSince, &pTo}, Result: KindNumber,
		Doc: "The most bytes that stood in the output buffer of a subscriber."},
	{Name: "cut_off", Params: []*Param{&pNode, &pNth}, Result: KindTime,
		Doc: "When the process's connection was closed because its output buffer had reached a limit."},

	// Commits and positions.
	{Name: "committed", Params: []*Param{&pGroupArg, &pPart, &pAt}, Result: KindNumber,
		Doc: "The group's committed offset of the partition."},
	{Name: "position", Params: []*Param{&pNode, &pPart, &pAt}, Result: KindNumber,
		Doc: "The next offset that the process's consumer would return."},
	{Name: "position_after", Params: []*Param{
		{Name: "after", Type: ParamTime, Positional: true},
		{Name: "partition", Type: ParamPartition, Positional: true, Optional: true},
		{Name: "node", Type: ParamNode, Optional: true}}, Result: KindNumber,
		Doc: "The first position that a consumer took up after a moment, as a restart."},
	{Name: "commits", Params: []*Param{&pNode,
		{Name: "accepted", Type: ParamBool, Optional: true}, &pSince, &pTo}, Result: KindNumber,
		Doc: "Commits that the process tried; accepted = True or False counts those answered so."},
	{Name: "commit_errors", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNames,
		Doc: "Names of the errors that commits of the process ended with, on the wire or locally."},
	{Name: "lag", Params: []*Param{&pTopic, &pAt, &pGroup}, Result: KindNumber,
		Doc: "High watermark minus committed offset, summed over the partitions of a topic."},
	{Name: "lag_max", Params: []*Param{&pTopic, &pGroup, &pSince, &pTo}, Result: KindNumber,
		Doc: "The largest lag of the partition, or of one partition of the topic."},
	{Name: "hw", Params: []*Param{&pPart, &pAt, &pCopy}, Result: KindNumber,
		Doc: "The partition's high watermark; with node = \"broker-2\" as that broker knows it."},
	{Name: "leo", Params: []*Param{&pPart, &pAt, &pCopy}, Result: KindNumber,
		Doc: "The log end offset of the partition's leader, or of another broker's copy."},
	{Name: "leader", Params: []*Param{&pPart, &pAt}, Result: KindText,
		Doc: "The broker that leads the partition."},
	{Name: "leader_epoch", Params: []*Param{&pPart, &pAt}, Result: KindNumber,
		Doc: "How often the partition has changed its leader: its leader epoch."},
	{Name: "leader_changes", Params: []*Param{&pTopic, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often the partition, or all of a topic, got another leader or lost the one it had."},
	{Name: "isr", Params: []*Param{&pPart, &pAt}, Result: KindNames,
		Doc: "The brokers whose copies of the partition are in sync."},
	{Name: "truncated", Params: []*Param{&pTopic, &pSince, &pTo}, Result: KindNumber,
		Doc: "Records that followers had to cut off to agree with their leader, summed over copies."},
	{Name: "log_start", Params: []*Param{&pPart, &pAt}, Result: KindNumber,
		Doc: "The first offset that the partition's leader still holds."},
	{Name: "produced", Params: []*Param{&pTopic, &pSince, &pTo}, Result: KindNumber,
		Doc: "Records appended to the log by its leaders, without those that a later leader did not have and " +
			"wrote over."},

	// Standing still.
	{Name: "stalled", Params: []*Param{&pTopic, &pSince, &pGroup}, Result: KindDuration,
		Doc: "Time, from a partition's first assignment on, in which no running member that owns it " +
			"can process it; of a topic, that of its worst partition."},
	{Name: "stalled_total", Params: []*Param{&pTopic, &pSince, &pGroup}, Result: KindDuration,
		Doc: "The same time summed over the topic's partitions: partition-seconds."},
	{Name: "longest_stall", Params: []*Param{&pTopic, &pSince, &pGroup}, Result: KindDuration,
		Doc: "The longest single stretch of such time."},
	{Name: "zombies", Params: []*Param{&pGroupOpt}, Result: KindNames,
		Doc: "Processes that worked on a partition they did not own in the current generation."},
	{Name: "zombie_records", Params: []*Param{&pNode, &pTopicOpt},
		Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that the process worked on while it did not own their partition."},
	{Name: "poll_gap", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindDuration,
		Doc: "The longest time between the starts of two polls of the process."},

	// The group.
	{Name: "generations", Params: []*Param{&pGroupArg, &pSince, &pTo}, Result: KindNumber,
		Doc: "By how much the group's generation (KIP-848: group epoch) grew."},
	{Name: "generation", Params: []*Param{&pGroupArg, &pAt}, Result: KindNumber,
		Doc: "The group's generation (KIP-848: group epoch)."},
	{Name: "group_epoch", Params: []*Param{&pGroupArg, &pAt}, Result: KindNumber,
		Doc: "The epoch of a group of the consumer protocol (KIP-848)."},
	{Name: "target_epoch", Params: []*Param{&pGroupArg, &pAt}, Result: KindNumber,
		Doc: "The epoch of the group's latest target assignment."},
	{Name: "rebalances", Params: []*Param{&pGroupArg, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often the group began to rebalance."},
	{Name: "rebalance_began", Params: []*Param{&pGroupArg, &pSince}, Result: KindTime,
		Doc: "When the group first began to rebalance after a moment."},
	{Name: "rebalance_reasons", Params: []*Param{&pGroupArg, &pSince, &pTo}, Result: KindSequence,
		Doc: "What made the group rebalance, each time."},
	{Name: "rebalance_time", Params: []*Param{&pGroupArg, &pSince, &pTo}, Result: KindDuration,
		Doc: "The longest time from the start of a rebalance until the group was stable or empty."},
	{Name: "assignment", Params: []*Param{&pWho, &pAt}, Result: KindMembers,
		Doc: "The partitions of each member in the group's latest generation, or of one process."},
	{Name: "target", Params: []*Param{&pWho, &pAt}, Result: KindMembers,
		Doc: "The partitions that each member of a group of the consumer protocol shall have, or one process."},
	{Name: "moved", Params: []*Param{&pGroupArg, &pSince, &pTo}, Result: KindNumber,
		Doc: "Partitions that changed hands between two assignments of the group, summed."},
	{Name: "taken", Params: []*Param{&pGroupArg, &pSince, &pTo}, Result: KindNumber,
		Doc: "Those of them that were taken from a member that stayed in the group."},
	{Name: "members", Params: []*Param{&pGroupArg, &pAt}, Result: KindNames,
		Doc: "Members of the group as its coordinator sees them, ghosts included."},
	{Name: "group_state", Params: []*Param{&pGroupArg, &pAt}, Result: KindText,
		Doc: "The group's state by Kafka's name, as Stable."},
	{Name: "time_in_state", Params: []*Param{&pGroupArg,
		{Name: "state", Type: ParamState, Positional: true}, &pSince, &pTo}, Result: KindDuration,
		Doc: "How long the group was in that state, by Kafka's name, summed."},
	{Name: "group_leader", Params: []*Param{&pGroupArg, &pAt}, Result: KindText,
		Doc: "The member that computes the assignment."},
	{Name: "protocol", Params: []*Param{&pGroupArg, &pAt}, Result: KindText,
		Doc: "The assignor that the group's vote chose."},
	{Name: "coordinator", Params: []*Param{&pGroupArg, &pAt}, Result: KindText,
		Doc: "The broker that coordinates the group."},
	{Name: "offsets_partition", Params: []*Param{&pGroupArg}, Result: KindNumber,
		Doc: "The partition of __consumer_offsets that holds the group's commits."},

	{Name: "controller", Params: []*Param{&pAt}, Result: KindText,
		Doc: "The broker that is the cluster's controller."},

	// Members.
	{Name: "joined", Params: []*Param{&pNode, &pNth}, Result: KindTime,
		Doc: "When the coordinator took the process in as a new member."},
	{Name: "join_answered", Params: []*Param{&pNode, &pSince, &pNth}, Result: KindTime,
		Doc: "When a JoinGroup request of the process was answered (J)."},
	{Name: "last_heard", Params: []*Param{&pNode, &pNth}, Result: KindTime,
		Doc: "The last event that re-armed the member's session (L), of its nth removal or up to now."},
	{Name: "last_heartbeat", Params: []*Param{&pNode, &pBefore}, Result: KindTime,
		Doc: "The last event at or before a moment that re-armed the session of the process's member."},
	{Name: "removed", Params: []*Param{&pNode, &pNth}, Result: KindTime,
		Doc: "When the coordinator removed the process's member (R)."},
	{Name: "removals", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often a member of the process was removed for any reason."},
	{Name: "removal_reason", Params: []*Param{&pNode, &pNth}, Result: KindText,
		Doc: "Why it was removed: left, session expired, missed the rebalance and so on."},
	{Name: "leaves", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often a member of the process left by a LeaveGroup request."},
	{Name: "member_ids", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNames,
		Doc: "The member ids that the process's consumer was given."},
	{Name: "member_epoch", Params: []*Param{&pNode, &pAt}, Result: KindNumber,
		Doc: "The epoch that the process's member has reached in a group of the consumer protocol."},
	{Name: "member_state", Params: []*Param{&pNode, &pAt}, Result: KindText,
		Doc: "Where that member stands, by Kafka's name: STABLE, UNREVOKED_PARTITIONS, UNRELEASED_PARTITIONS."},
	{Name: "learned", Params: []*Param{&pNode, &pSince}, Result: KindTime,
		Doc: "When the process was first answered REBALANCE_IN_PROGRESS after a moment."},

	// Processes and what they do.
	{Name: "started", Params: []*Param{&pNode, &pNth}, Result: KindTime,
		Doc: "When the process started."},
	{Name: "starts", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often the process started."},
	{Name: "ended", Params: []*Param{&pNode, &pNth}, Result: KindTime,
		Doc: "When the process ended."},
	{Name: "ended_by", Params: []*Param{&pNode, &pNth}, Result: KindText,
		Doc: "How it ended: stop, kill, crash or exit."},
	{Name: "running", Params: []*Param{&pNode, &pAt}, Result: KindBool,
		Doc: "Whether the process runs, frozen or not."},
	{Name: "polls", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often the process called poll."},
	{Name: "calls", Params: []*Param{&pNode,
		{Name: "name", Type: ParamText, Positional: true}, &pSince, &pTo}, Result: KindNumber,
		Doc: "How often the process made that blocking call, as commit_sync."},
	{Name: "time_in", Params: []*Param{&pNode,
		{Name: "name", Type: ParamText, Positional: true}, &pSince, &pTo}, Result: KindDuration,
		Doc: "How long the process was inside that blocking call, as commit_sync, summed."},
	{Name: "call_errors", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNames,
		Doc: "Texts of the errors that blocking calls of the process ended with."},
	{Name: "callbacks", Params: []*Param{&pNode,
		{Name: "name", Type: ParamText, Positional: true, Optional: true}, &pSince, &pTo},
		Result: KindNumber,
		Doc:    "How often a rebalance callback ran: on_revoked, on_lost, on_assigned or any."},
	{Name: "log_lines", Params: []*Param{&pNode,
		{Name: "contains", Type: ParamText, Positional: true, Optional: true}, &pSince, &pTo},
		Result: KindSequence,
		Doc:    "Lines that the process logged, or those with a text in them."},
	{Name: "stored", Params: []*Param{&pStore, {Name: "key", Type: ParamText, Positional: true}, &pAt},
		Result: KindText,
		Doc:    "The value under a key of an outside store."},
	{Name: "effects", Params: []*Param{&pStore}, Result: KindNumber,
		Doc: "How many changes an outside store saw."},

	// The wire.
	{Name: "requests", Params: []*Param{&pNode,
		{Name: "api", Type: ParamAPI, Positional: true}, &pSince, &pTo}, Result: KindNumber,
		Doc: "Requests of one kind that the process sent."},
	{Name: "fetches", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "Fetch requests that the process sent."},
	{Name: "empty_fetches", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "Fetch answers to the process that brought no records."},
	{Name: "fetched", Params: []*Param{&pNode, &pTopicOpt, &pSince, &pTo}, Result: KindNumber,
		Doc: "Records that fetch answers brought to the process."},
	{Name: "connections", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNumber,
		Doc: "Connections that the process opened."},
	{Name: "errors", Params: []*Param{&pNode, &pSince, &pTo}, Result: KindNames,
		Doc: "Names of the Kafka errors that the process was answered."},
	{Name: "request_sequence", Params: []*Param{&pNode,
		{Name: "apis", Type: ParamAPIs, Optional: true}, &pSince, &pTo}, Result: KindSequence,
		Doc: "Requests that the process sent, in order; a Fetch names the partitions it lists, " +
			"as \"Fetch order_events-0@15 order_events-1@8\"."},

	// Time.
	{Name: "elapsed", Params: []*Param{
		{Name: "from", Type: ParamTime, Positional: true},
		{Name: "to", Type: ParamTime, Positional: true},
		{Name: "node", Type: ParamNode, Optional: true}}, Result: KindDuration,
		Doc: "The time from one moment to another; words such as kill are about node."},
	{Name: "moment", Params: []*Param{
		{Name: "at", Type: ParamTime, Positional: true},
		{Name: "node", Type: ParamNode, Optional: true}}, Result: KindTime,
		Doc: "A moment as a time: moment(\"kill\", node = \"B\") + \"45s\"."},
}
