package view

import (
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// all has one of every struct that crosses the boundary.
func all() []Coded {
	return []Coded{
		&View{}, &Problem{}, &Info{}, &Command{}, &Override{}, &Load{}, &Loaded{}, &Run{}, &Progress{}, &At{},
		&LabOf{}, &Filter{}, &Events{}, &Lines{}, &Step{}, &Moment{}, &MessageOf{}, &Message{}, &Span{},
		&Verdict{}, &ConfigOf{}, &Config{}, &Messages{}, &Scene{},
	}
}

// fill gives every field below v a value of its own.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString("text " + string(rune('a'+*n%26)))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*n * -7919 % 100003)
	case reflect.Uint64:
		v.SetUint(uint64(*n) << 40)
	case reflect.Bool:
		v.SetBool(*n%2 == 0)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("a kind of field that no struct of this package has: " + v.Kind().String())
	}
}

func TestEveryStructComesBackFieldByField(t *testing.T) {
	for _, s := range all() {
		n := int64(0)
		fill(reflect.ValueOf(s).Elem(), &n)
		back := reflect.New(reflect.TypeOf(s).Elem()).Interface().(Coded)
		require.True(t, Decode(Encode(nil, s), back), "%T", s)
		require.Equal(t, s, back)
	}
}

func TestBrokenBytesAreRefusedAndNeverPanic(t *testing.T) {
	for _, s := range all() {
		n := int64(0)
		fill(reflect.ValueOf(s).Elem(), &n)
		b := Encode(nil, s)
		for cut := range b {
			back := reflect.New(reflect.TypeOf(s).Elem()).Interface().(Coded)
			require.False(t, Decode(b[:cut], back), "%T cut at %d", s, cut)
		}
		back := reflect.New(reflect.TypeOf(s).Elem()).Interface().(Coded)
		require.False(t, Decode(append(b, 0), back), "%T with a byte more", s)
	}
}

// The bytes of the ABI: a change here is a change of view.ABI.
func TestTheBytesOfTheABIStayAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		want string
		s    Coded
	}{
		{"0202", &Run{Lab: 1, Events: 1}},
		{"0280e08bb45901", &At{Lab: 1, Time: 12_000_000_000, Index: -1}},
		{"18126b696c6c2822412229", &Command{At: 12, Text: `kill("A")`}},
	} {
		require.Equal(t, c.want, hex.EncodeToString(Encode(nil, c.s)), "%T", c.s)
	}
	require.Equal(t, Op(9), OpTimeline, "web/codec.js asks for timelines by this number")
	require.Equal(t, Op(4), OpView)
	require.Equal(t, Op(5), OpPaint)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(_ *testing.T, b []byte) {
		for _, s := range all() {
			Decode(b, s)
		}
	})
}
