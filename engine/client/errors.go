package client

import (
	"errors"
	"fmt"
	"strings"

	"rebalancelab/engine/wire"
)

// WakeupError ends a blocking call after [Consumer.Wakeup].
type WakeupError struct{}

// Error implements error.
func (*WakeupError) Error() string { return "woken up: WakeupException" }

// Error is what a Java client throws, by the name of its exception or of the broker's error.
type Error struct {
	// Name is Kafka's name of the error code, or the Java exception's for an error of the client.
	Name string
	// Code is the broker's answer, 0 when the client found the error itself.
	Code wire.Code
	Text string
	// Retriable says whether the same call may succeed later.
	Retriable bool
}

// Error implements error.
func (e *Error) Error() string {
	if e.Text == "" {
		return e.Name
	}
	return e.Name + ": " + e.Text
}

// Names of errors that a client finds itself, after the Java exceptions.
const (
	ErrCommitFailed     = "CommitFailedException"
	ErrRetriableCommit  = "RetriableCommitFailedException"
	ErrRebalance        = "RebalanceInProgressException"
	ErrTimeout          = "TimeoutException"
	ErrDisconnect       = "DisconnectException"
	ErrNoOffset         = "NoOffsetForPartitionException"
	ErrOffsetOutOfRange = "OffsetOutOfRangeException"
	ErrLogTruncation    = "LogTruncationException"
	ErrIllegalState     = "IllegalStateException"
	ErrIllegalArgument  = "IllegalArgumentException"
	ErrKafka            = "KafkaException"
	ErrInvalidConfig    = "ConfigException"
	ErrCorruptRecord    = "CorruptRecordException"
	ErrProducerClosed   = "ProducerClosedException"
)

// exception is the simple name of the Java exception, as UnknownMemberIdException.
func (e *Error) exception() string {
	if e.Code == wire.None || e.Name != e.Code.Name() {
		return e.Name
	}
	var b strings.Builder
	for _, word := range strings.Split(e.Name, "_") {
		b.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return b.String() + "Exception"
}

func codeError(code wire.Code) *Error {
	return &Error{Name: code.Name(), Code: code, Text: code.Text(), Retriable: code.Retriable()}
}

func illegalState(format string, args ...any) *Error {
	return &Error{Name: ErrIllegalState, Text: fmt.Sprintf(format, args...)}
}

func timeoutError(format string, args ...any) *Error {
	return &Error{Name: ErrTimeout, Text: fmt.Sprintf(format, args...), Retriable: true}
}

func commitFailed() *Error {
	return &Error{Name: ErrCommitFailed, Text: "the group has already rebalanced and given the " +
		"partitions to another member: the time between two polls was longer than " +
		"max.poll.interval.ms, or the member was removed"}
}

func rebalanceInProgress() *Error {
	return &Error{Name: ErrRebalance, Text: "offsets cannot be committed while the member is " +
		"rejoining: call poll() so that the rebalance can finish, then commit again"}
}

// noGroup is the error of a consumer without group.id that needs one.
func noGroup(text string) *Error { return &Error{Name: "InvalidGroupIdException", Text: text} }

var errDisconnect = &Error{Name: ErrDisconnect, Text: "the connection is gone", Retriable: true}

// ErrorName is the short name of an error of this package: Kafka's name of a code, such as
// UNKNOWN_MEMBER_ID, or a Java exception's, such as CommitFailedException. It is "Error" for errors
// from elsewhere.
func ErrorName(err error) (name string, retriable bool) {
	var wake *WakeupError
	if errors.As(err, &wake) {
		return "WakeupException", false
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Name, e.Retriable
	}
	return "Error", false
}
