package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// ApiVersions, key 18, versions 0-4.
//
// A version that is not served is answered UNSUPPORTED_VERSION with the range of ApiVersions alone;
// a client software name or version of strange characters INVALID_REQUEST (KIP-511).
//
// Left out: features.
func (b *Broker) apiVersions(l *line, req *kmsg.ApiVersionsRequest) *kmsg.ApiVersionsResponse {
	r := kmsg.NewPtrApiVersionsResponse()
	known := wire.Serves(wire.KeyApiVersions, l.now.Version)
	for _, v := range wire.Supported() {
		if known || v.Key == wire.KeyApiVersions {
			k := kmsg.NewApiVersionsResponseApiKey()
			k.ApiKey, k.MinVersion, k.MaxVersion = v.Key, v.Min, v.Max
			r.ApiKeys = append(r.ApiKeys, k)
		}
	}
	switch {
	case !known:
		r.ErrorCode = int16(wire.UnsupportedVersion)
		l.now.Req = kmsg.NewPtrApiVersionsRequest() // the answer has the oldest layout
	case req.Version >= 3 &&
		!(softwareName(req.ClientSoftwareName) && softwareName(req.ClientSoftwareVersion)):
		r.ErrorCode, r.ApiKeys = int16(wire.InvalidRequest), nil
	}
	return r
}

// softwareName: letters and digits, with '-' and '.' between them.
func softwareName(s string) bool {
	if s == "" || !alphanumeric(s[0]) || !alphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !alphanumeric(s[i]) && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
