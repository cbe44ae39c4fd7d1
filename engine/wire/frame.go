package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Frame is one message on a connection. Exactly one of Req and Resp is set.
//
// Frames travel by reference, as do their messages. Nobody changes one that is on its way: a request
// belongs to its receiver until it is answered, a response until it is released.
type Frame struct {
	// Corr ties a response to its request; a client counts it up on each connection.
	Corr int32
	// Client is the client id of a request's header; empty in responses.
	Client string
	Req    kmsg.Request
	Resp   kmsg.Response
	// Key and Version say how to read the message. Version differs from the message's own only
	// for an ApiVersions request of an unsupported version, which arrives without its body.
	Key, Version int16
	// Home, if set, takes the frame and its message back; see [Frame.Release].
	Home Home
}

// Home is where frames come from that are used again.
type Home interface{ TakeBack() }

// ErrUnsupported marks a request whose kind or version is not served; a broker closes the
// connection on it (kafka-behaviour 0.2).
var ErrUnsupported = errors.New("unsupported request kind or version")

var errShort = errors.New("message ends too early")

// NewRequest frames a request at the version it carries.
func NewRequest(corr int32, client string, req kmsg.Request) *Frame {
	f := new(Frame)
	f.Ask(corr, client, req)
	return f
}

// Ask makes f the frame of a request; see [NewRequest].
func (f *Frame) Ask(corr int32, client string, req kmsg.Request) {
	*f = Frame{
		Corr: corr, Client: client, Req: req, Key: req.Key(), Version: req.GetVersion(), Home: f.Home,
	}
}

// Reply frames the response to request f and sets the response's version to the request's.
// An unsupported ApiVersions version is answered in the v0 layout (KIP-511).
func (f *Frame) Reply(resp kmsg.Response) *Frame {
	r := new(Frame)
	r.Answer(f, resp)
	return r
}

// Answer makes f the frame of the response to request to; see [Frame.Reply].
func (f *Frame) Answer(to *Frame, resp kmsg.Response) {
	version := to.Req.GetVersion()
	resp.SetVersion(version)
	*f = Frame{Corr: to.Corr, Resp: resp, Key: to.Key, Version: version, Home: f.Home}
}

// Release says that the receiver is done with a response: nothing of the message itself is looked at
// any more. What its slices of bytes show stays as it is.
func (f *Frame) Release() {
	if f.Home != nil {
		f.Home.TakeBack()
	}
}

// IsResponse says whether f is a response.
func (f *Frame) IsResponse() bool { return f.Resp != nil }

// APIName is the protocol's name of the message kind, such as "JoinGroup".
func (f *Frame) APIName() string { return KeyName(f.Key) }

// Encode writes f as it travels: 4-byte size, header (request v1/v2, response v0/v1), body.
func (f *Frame) Encode() []byte { return f.Append(make([]byte, 0, 256)) }

// Append is [Frame.Encode] into a buffer of the caller: it appends to dst.
func (f *Frame) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if f.Resp != nil {
		dst = binary.BigEndian.AppendUint32(dst, uint32(f.Corr))
		if flexibleResponseHeader(f.Key, f.Resp) {
			dst = append(dst, 0)
		}
		dst = f.Resp.AppendTo(dst)
	} else {
		dst = binary.BigEndian.AppendUint16(dst, uint16(f.Key))
		dst = binary.BigEndian.AppendUint16(dst, uint16(f.Version))
		dst = binary.BigEndian.AppendUint32(dst, uint32(f.Corr))
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(f.Client)))
		dst = append(dst, f.Client...)
		if f.Req.IsFlexible() {
			dst = append(dst, 0)
		}
		dst = f.Req.AppendTo(dst)
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// flexibleResponseHeader: an ApiVersions response keeps header v0 for ever, since its reader may
// not know yet which versions the broker speaks (KIP-511).
func flexibleResponseHeader(key int16, resp kmsg.Response) bool {
	return key != KeyApiVersions && resp.IsFlexible()
}

// FrameSize is the length of the first frame in b, size prefix included, or 0 while b is shorter
// than the prefix. It fails for a size that no frame can have.
func FrameSize(b []byte) (int, error) {
	if len(b) < 4 {
		return 0, nil
	}
	size := int32(binary.BigEndian.Uint32(b))
	if size < 4 || size > 100<<20 { // socket.request.max.bytes is 100 MiB
		return 0, fmt.Errorf("frame of %d bytes", size)
	}
	return int(size) + 4, nil
}

func body(b []byte) ([]byte, error) {
	size, err := FrameSize(b)
	if err != nil {
		return nil, err
	}
	if size == 0 || len(b) != size {
		return nil, fmt.Errorf("frame of %d bytes in a buffer of %d", size, len(b))
	}
	return b[4:], nil
}

// DecodeRequest reads what [Frame.Encode] wrote for a request, size prefix included. Byte fields of
// the message are slices of b. The error wraps [ErrUnsupported] when the connection must be closed
// for its kind or version; the frame then holds what the header told.
func DecodeRequest(b []byte) (*Frame, error) {
	b, err := body(b)
	if err != nil {
		return nil, err
	}
	if len(b) < 10 {
		return nil, errShort
	}
	f := &Frame{
		Key:     int16(binary.BigEndian.Uint16(b)),
		Version: int16(binary.BigEndian.Uint16(b[2:])),
		Corr:    int32(binary.BigEndian.Uint32(b[4:])),
	}
	idLen := int(int16(binary.BigEndian.Uint16(b[8:])))
	b = b[10:]
	if idLen > len(b) {
		return f, errShort
	}
	if idLen > 0 {
		f.Client, b = string(b[:idLen]), b[idLen:]
	}
	k := findKind(f.Key)
	if k != nil && k.key == KeyApiVersions && f.Version > k.max {
		f.Req = k.request()
		return f, nil
	}
	if !Serves(f.Key, f.Version) {
		return f, fmt.Errorf("%w: %s v%d", ErrUnsupported, KeyName(f.Key), f.Version)
	}
	req := k.request()
	req.SetVersion(f.Version)
	if req.IsFlexible() {
		if b, err = skipTags(b); err != nil {
			return f, err
		}
	}
	if err := req.ReadFrom(b); err != nil {
		return f, fmt.Errorf("%s v%d: %w", k.name, f.Version, err)
	}
	f.Req = req
	return f, nil
}

// DecodeResponse reads what [Frame.Encode] wrote for a response to a request of the given key and
// version. Byte fields of the message are slices of b.
func DecodeResponse(b []byte, key, version int16) (*Frame, error) {
	b, err := body(b)
	if err != nil {
		return nil, err
	}
	k := findKind(key)
	if k == nil {
		return nil, fmt.Errorf("%w: key %d", ErrUnsupported, key)
	}
	resp := k.response()
	if version < 0 || version > resp.MaxVersion() {
		return nil, fmt.Errorf("%w: %s v%d", ErrUnsupported, k.name, version)
	}
	resp.SetVersion(version)
	f := &Frame{Corr: int32(binary.BigEndian.Uint32(b)), Key: key, Version: version}
	b = b[4:]
	if flexibleResponseHeader(key, resp) {
		if b, err = skipTags(b); err != nil {
			return f, err
		}
	}
	if err := resp.ReadFrom(b); err != nil {
		return f, fmt.Errorf("%s response v%d: %w", k.name, version, err)
	}
	f.Resp = resp
	return f, nil
}

// skipTags passes over a header's tagged fields: a count, then key, size and bytes of each.
func skipTags(b []byte) ([]byte, error) {
	n, b, ok := uvarint(b)
	for ; ok && n > 0; n-- {
		var size uint64
		if _, b, ok = uvarint(b); !ok {
			break
		}
		if size, b, ok = uvarint(b); !ok || size > uint64(len(b)) {
			return nil, errShort
		}
		b = b[size:]
	}
	if !ok {
		return nil, errShort
	}
	return b, nil
}

func uvarint(b []byte) (uint64, []byte, bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }
