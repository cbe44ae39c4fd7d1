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
	pStore    = Param{Name: "name", Type: ParamText, Positional: true}

	pCopy   = Param{Name: "node", Type: ParamNode, Optional: true}
	pGroup  = Param{Name: "group", Type: ParamGroup, Optional: true}
	pSince  = Param{Name: "since", Type: ParamTime, Optional: true}
	pAfter  = Param{Name: "after", Type: ParamTime, Optional: true}
	pTo     = Param{Name: "to", Type: ParamTime, Optional: true}
	pBefore = Param{Name: "before", Type: ParamTime, Optional: true}
	pAt     = Param{Name: "at", Type: ParamTime, Optional: true}
	pNth    = Param{Name: "nth", Type: ParamNumber, Optional: true}
)

func params(p ...Param) []Param { return p }

// Table lists every query. Where a group parameter is left out, the one group that reads the
// partition is meant. Without since= the question is about the whole run; nth= counts from 1 and
// means the last when left out.
var Table = []Signature{
	// Delivery.
	{Name: "lost", Params: params(pTopic, pGroup), Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that the group's committed offset passed, that no process of the group finished " +
			"and that no living one still has in work."},
	{Name: "duplicates", Params: params(pTopic, pGroup), Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that processes of the group finished more than once."},
	{Name: "processed", Params: params(pWho, pTopicOpt), Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that a process or a group finished at least once."},
	{Name: "completions", Params: params(pWho, pTopicOpt, pSince, pTo), Result: KindNumber,
		Doc: "How often a handler of the process or group finished a record, repetitions included."},
	{Name: "in_work", Params: params(pTopic, pGroup), Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that living processes of the group were handed and have not finished yet."},
	{Name: "first_record", Params: params(pNode, pTopicOpt, pAfter), Result: KindTime,
		Doc: "When poll returned records to the process for the first time after a moment."},
	{Name: "resumed", Params: params(pTopic, pAfter, pGroup), Result: KindTime,
		Doc: "When a record of the partition was finished for the first time after a moment."},
	{Name: "delay_max", Params: params(pTopic, pGroup, pSince, pTo), Result: KindDuration,
		Doc: "The longest time from a record's arrival in the log to the poll that returned it first."},
	{Name: "delay_mean", Params: params(pTopic, pGroup, pSince, pTo), Result: KindDuration,
		Doc: "The mean time from a record's arrival in the log to the poll that returned it first."},

	// Commits and positions.
	{Name: "committed", Params: params(pGroupArg, pPart, pAt), Result: KindNumber,
		Doc: "The group's committed offset of the partition."},
	{Name: "position", Params: params(pNode, pPart, pAt), Result: KindNumber,
		Doc: "The next offset that the process's consumer would return."},
	{Name: "position_after", Params: params(
		Param{Name: "after", Type: ParamTime, Positional: true},
		Param{Name: "partition", Type: ParamPartition, Positional: true, Optional: true},
		Param{Name: "node", Type: ParamNode, Optional: true}), Result: KindNumber,
		Doc: "The first position that a consumer took up after a moment, as a restart."},
	{Name: "commits", Params: params(pNode,
		Param{Name: "accepted", Type: ParamBool, Optional: true}, pSince, pTo), Result: KindNumber,
		Doc: "Commits that the process tried; accepted = True or False counts those answered so."},
	{Name: "commit_errors", Params: params(pNode, pSince, pTo), Result: KindNames,
		Doc: "Names of the errors that commits of the process ended with, on the wire or locally."},
	{Name: "lag", Params: params(pTopic, pAt, pGroup), Result: KindNumber,
		Doc: "High watermark minus committed offset, summed over the partitions of a topic."},
	{Name: "lag_max", Params: params(pTopic, pGroup, pSince, pTo), Result: KindNumber,
		Doc: "The largest lag of the partition, or of one partition of the topic."},
	{Name: "hw", Params: params(pPart, pAt, pCopy), Result: KindNumber,
		Doc: "The partition's high watermark; with node = \"broker-2\" as that broker knows it."},
	{Name: "leo", Params: params(pPart, pAt, pCopy), Result: KindNumber,
		Doc: "The log end offset of the partition's leader, or of another broker's copy."},
	{Name: "leader", Params: params(pPart, pAt), Result: KindText,
		Doc: "The broker that leads the partition."},
	{Name: "leader_epoch", Params: params(pPart, pAt), Result: KindNumber,
		Doc: "How often the partition has changed its leader: its leader epoch."},
	{Name: "leader_changes", Params: params(pTopic, pSince, pTo), Result: KindNumber,
		Doc: "How often the partition, or all of a topic, got another leader or lost the one it had."},
	{Name: "isr", Params: params(pPart, pAt), Result: KindNames,
		Doc: "The brokers whose copies of the partition are in sync."},
	{Name: "truncated", Params: params(pTopic, pSince, pTo), Result: KindNumber,
		Doc: "Records that followers had to cut off to agree with their leader, summed over copies."},
	{Name: "log_start", Params: params(pPart, pAt), Result: KindNumber,
		Doc: "The first offset that the partition's leader still holds."},
	{Name: "produced", Params: params(pTopic, pSince, pTo), Result: KindNumber,
		Doc: "Records appended to the log by its leaders, without those that the next leader did not have."},

	// Standing still.
	{Name: "stalled", Params: params(pTopic, pSince, pGroup), Result: KindDuration,
		Doc: "Time, from a partition's first assignment on, in which no running member that owns it " +
			"can process it; of a topic, that of its worst partition."},
	{Name: "stalled_total", Params: params(pTopic, pSince, pGroup), Result: KindDuration,
		Doc: "The same time summed over the topic's partitions: partition-seconds."},
	{Name: "longest_stall", Params: params(pTopic, pSince, pGroup), Result: KindDuration,
		Doc: "The longest single stretch of such time."},
	{Name: "zombies", Params: params(pGroupOpt), Result: KindNames,
		Doc: "Processes that worked on a partition they did not own in the current generation."},
	{Name: "zombie_records", Params: params(pNode, pTopicOpt),
		Result: KindOffsets, Topics: KindPartitions,
		Doc: "Offsets that the process worked on while it did not own their partition."},
	{Name: "poll_gap", Params: params(pNode, pSince, pTo), Result: KindDuration,
		Doc: "The longest time between the starts of two polls of the process."},

	// The group.
	{Name: "generations", Params: params(pGroupArg, pSince, pTo), Result: KindNumber,
		Doc: "By how much the group's generation (KIP-848: group epoch) grew."},
	{Name: "generation", Params: params(pGroupArg, pAt), Result: KindNumber,
		Doc: "The group's generation (KIP-848: group epoch)."},
	{Name: "group_epoch", Params: params(pGroupArg, pAt), Result: KindNumber,
		Doc: "The epoch of a group of the consumer protocol (KIP-848)."},
	{Name: "target_epoch", Params: params(pGroupArg, pAt), Result: KindNumber,
		Doc: "The epoch of the group's latest target assignment."},
	{Name: "rebalances", Params: params(pGroupArg, pSince, pTo), Result: KindNumber,
		Doc: "How often the group began to rebalance."},
	{Name: "rebalance_began", Params: params(pGroupArg, pSince), Result: KindTime,
		Doc: "When the group first began to rebalance after a moment."},
	{Name: "rebalance_reasons", Params: params(pGroupArg, pSince, pTo), Result: KindSequence,
		Doc: "What made the group rebalance, each time."},
	{Name: "rebalance_time", Params: params(pGroupArg, pSince, pTo), Result: KindDuration,
		Doc: "The longest time from the start of a rebalance until the group was stable or empty."},
	{Name: "assignment", Params: params(pWho, pAt), Result: KindMembers,
		Doc: "The partitions of each member in the group's latest generation, or of one process."},
	{Name: "target", Params: params(pWho, pAt), Result: KindMembers,
		Doc: "The partitions that each member of a group of the consumer protocol shall have, or one process."},
	{Name: "moved", Params: params(pGroupArg, pSince, pTo), Result: KindNumber,
		Doc: "Partitions that changed hands between two assignments of the group, summed."},
	{Name: "taken", Params: params(pGroupArg, pSince, pTo), Result: KindNumber,
		Doc: "Those of them that were taken from a member that stayed in the group."},
	{Name: "members", Params: params(pGroupArg, pAt), Result: KindNames,
		Doc: "Members of the group as its coordinator sees them, ghosts included."},
	{Name: "group_state", Params: params(pGroupArg, pAt), Result: KindText,
		Doc: "The group's state by Kafka's name, as Stable."},
	{Name: "time_in_state", Params: params(pGroupArg,
		Param{Name: "state", Type: ParamState, Positional: true}, pSince, pTo), Result: KindDuration,
		Doc: "How long the group was in that state, by Kafka's name, summed."},
	{Name: "group_leader", Params: params(pGroupArg, pAt), Result: KindText,
		Doc: "The member that computes the assignment."},
	{Name: "protocol", Params: params(pGroupArg, pAt), Result: KindText,
		Doc: "The assignor that the group's vote chose."},
	{Name: "coordinator", Params: params(pGroupArg, pAt), Result: KindText,
		Doc: "The broker that coordinates the group."},
	{Name: "offsets_partition", Params: params(pGroupArg), Result: KindNumber,
		Doc: "The partition of __consumer_offsets that holds the group's commits."},

	{Name: "controller", Params: params(pAt), Result: KindText,
		Doc: "The broker that is the cluster's controller."},

	// Members.
	{Name: "joined", Params: params(pNode, pNth), Result: KindTime,
		Doc: "When the coordinator took the process in as a new member."},
	{Name: "join_answered", Params: params(pNode, pSince, pNth), Result: KindTime,
		Doc: "When a JoinGroup request of the process was answered (J)."},
	{Name: "last_heard", Params: params(pNode, pNth), Result: KindTime,
		Doc: "The last event that re-armed the member's session (L), of its nth removal or up to now."},
	{Name: "last_heartbeat", Params: params(pNode, pBefore), Result: KindTime,
		Doc: "The last event at or before a moment that re-armed the session of the process's member."},
	{Name: "removed", Params: params(pNode, pNth), Result: KindTime,
		Doc: "When the coordinator removed the process's member (R)."},
	{Name: "removals", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "How often a member of the process was removed for any reason."},
	{Name: "removal_reason", Params: params(pNode, pNth), Result: KindText,
		Doc: "Why it was removed: left, session expired, missed the rebalance and so on."},
	{Name: "leaves", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "How often a member of the process left by a LeaveGroup request."},
	{Name: "member_ids", Params: params(pNode, pSince, pTo), Result: KindNames,
		Doc: "The member ids that the process's consumer was given."},
	{Name: "member_epoch", Params: params(pNode, pAt), Result: KindNumber,
		Doc: "The epoch that the process's member has reached in a group of the consumer protocol."},
	{Name: "member_state", Params: params(pNode, pAt), Result: KindText,
		Doc: "Where that member stands, by Kafka's name: STABLE, UNREVOKED_PARTITIONS, UNRELEASED_PARTITIONS."},
	{Name: "learned", Params: params(pNode, pSince), Result: KindTime,
		Doc: "When the process was first answered REBALANCE_IN_PROGRESS after a moment."},

	// Processes and what they do.
	{Name: "started", Params: params(pNode, pNth), Result: KindTime,
		Doc: "When the process started."},
	{Name: "starts", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "How often the process started."},
	{Name: "ended", Params: params(pNode, pNth), Result: KindTime,
		Doc: "When the process ended."},
	{Name: "ended_by", Params: params(pNode, pNth), Result: KindText,
		Doc: "How it ended: stop, kill, crash or exit."},
	{Name: "running", Params: params(pNode, pAt), Result: KindBool,
		Doc: "Whether the process runs, frozen or not."},
	{Name: "polls", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "How often the process called poll."},
	{Name: "calls", Params: params(pNode,
		Param{Name: "name", Type: ParamText, Positional: true}, pSince, pTo), Result: KindNumber,
		Doc: "How often the process made that blocking call, as commit_sync."},
	{Name: "time_in", Params: params(pNode,
		Param{Name: "name", Type: ParamText, Positional: true}, pSince, pTo), Result: KindDuration,
		Doc: "How long the process was inside that blocking call, as commit_sync, summed."},
	{Name: "call_errors", Params: params(pNode, pSince, pTo), Result: KindNames,
		Doc: "Texts of the errors that blocking calls of the process ended with."},
	{Name: "callbacks", Params: params(pNode,
		Param{Name: "name", Type: ParamText, Positional: true, Optional: true}, pSince, pTo),
		Result: KindNumber,
		Doc:    "How often a rebalance callback ran: on_revoked, on_lost, on_assigned or any."},
	{Name: "log_lines", Params: params(pNode,
		Param{Name: "contains", Type: ParamText, Positional: true, Optional: true}, pSince, pTo),
		Result: KindSequence,
		Doc:    "Lines that the process logged, or those with a text in them."},
	{Name: "stored", Params: params(pStore, Param{Name: "key", Type: ParamText, Positional: true}, pAt),
		Result: KindText,
		Doc:    "The value under a key of an outside store."},
	{Name: "effects", Params: params(pStore), Result: KindNumber,
		Doc: "How many changes an outside store saw."},

	// The wire.
	{Name: "requests", Params: params(pNode,
		Param{Name: "api", Type: ParamAPI, Positional: true}, pSince, pTo), Result: KindNumber,
		Doc: "Requests of one kind that the process sent."},
	{Name: "fetches", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "Fetch requests that the process sent."},
	{Name: "empty_fetches", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "Fetch answers to the process that brought no records."},
	{Name: "fetched", Params: params(pNode, pTopicOpt, pSince, pTo), Result: KindNumber,
		Doc: "Records that fetch answers brought to the process."},
	{Name: "connections", Params: params(pNode, pSince, pTo), Result: KindNumber,
		Doc: "Connections that the process opened."},
	{Name: "errors", Params: params(pNode, pSince, pTo), Result: KindNames,
		Doc: "Names of the Kafka errors that the process was answered."},
	{Name: "request_sequence", Params: params(pNode,
		Param{Name: "apis", Type: ParamAPIs, Optional: true}, pSince, pTo), Result: KindSequence,
		Doc: "Requests that the process sent, in order; a Fetch names the partitions it lists, " +
			"as \"Fetch order_events-0@15 order_events-1@8\"."},

	// Time.
	{Name: "elapsed", Params: params(
		Param{Name: "from", Type: ParamTime, Positional: true},
		Param{Name: "to", Type: ParamTime, Positional: true},
		Param{Name: "node", Type: ParamNode, Optional: true}), Result: KindDuration,
		Doc: "The time from one moment to another; words such as kill are about node."},
	{Name: "moment", Params: params(
		Param{Name: "at", Type: ParamTime, Positional: true},
		Param{Name: "node", Type: ParamNode, Optional: true}), Result: KindTime,
		Doc: "A moment as a time: moment(\"kill\", node = \"B\") + \"45s\"."},
}
