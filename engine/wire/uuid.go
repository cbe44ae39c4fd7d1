package wire

import (
	"encoding/base64"
	"encoding/binary"
)

// UUIDText is a version 4 UUID of two random numbers in Kafka's own text form, 22 characters of
// base64 (KIP-1082 member ids). One that would begin with a hyphen, as an option of a command does,
// begins with a letter instead; Kafka draws again. [org.apache.kafka.common.Uuid]
func UUIDText(hi, lo uint64) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], hi)
	binary.BigEndian.PutUint64(id[8:], lo)
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	text := base64.RawURLEncoding.EncodeToString(id[:])
	if text[0] == '-' {
		text = "A" + text[1:]
	}
	return text
}
