package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"reflect"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Field is one line of a message shown to a reader: a name and a value, indented by Depth. Lines
// that only head the ones below them have no value.
type Field struct {
	Depth       int
	Name, Value string
}

// shownBytes is how much of a key, a value or unknown bytes is shown.
const shownBytes = 60

// Describe takes a message apart into readable fields, header first: those that its version puts on
// the wire, under the names of Kafka's protocol. Bytes of known meaning (subscriptions,
// assignments, record batches) are decoded. It is meant for one message under a reader's eyes: it
// costs some encodings of the message.
func Describe(f *Frame) []Field {
	d := describer{}
	d.header(f)
	var clone message
	if f.Resp != nil {
		k := findKind(f.Key)
		resp := k.response()
		resp.SetVersion(f.Version)
		clone = resp
		d.original = f.Resp.AppendTo(nil)
	} else {
		k := findKind(f.Key)
		req := k.request()
		req.SetVersion(f.Req.GetVersion())
		clone = req
		d.original = f.Req.AppendTo(nil)
	}
	// The clone may be changed, and has just what is on the wire.
	if err := clone.ReadFrom(d.original); err != nil {
		panic("wire: a message cannot be read back: " + err.Error())
	}
	d.message = clone
	d.structure(0, reflect.ValueOf(clone).Elem())
	return d.fields
}

// message is what requests and responses share.
type message interface {
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

type describer struct {
	message  message
	original []byte
	onWire   []probe
	fields   []Field
}

// probe is the answer to whether a field of a struct is on the wire.
type probe struct {
	owner reflect.Type
	field int
	yes   bool
}

func (d *describer) add(depth int, name, value string) {
	d.fields = append(d.fields, Field{depth, name, value})
}

func (d *describer) header(f *Frame) {
	d.add(0, "apiKey", itoa(int64(f.Key))+" "+f.APIName())
	d.add(0, "apiVersion", itoa(int64(f.Version)))
	d.add(0, "correlationId", itoa(int64(f.Corr)))
	if !f.IsResponse() {
		d.add(0, "clientId", f.Client)
	}
}

var tagsType = reflect.TypeFor[kmsg.Tags]()

func (d *describer) structure(depth int, v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == tagsType || depth == 0 && f.Name == "Version" ||
			isTagged(t.Name(), f.Name) && isDefault(v, i) || !d.isOnWire(t, i, v.Field(i)) {
			continue
		}
		d.value(depth, protocolName(t.Name(), f.Name), v.Field(i))
	}
}

// isDefault says whether a field of the struct owner has the value that a new one has.
func isDefault(owner reflect.Value, field int) bool {
	fresh := reflect.New(owner.Type())
	if d, ok := fresh.Interface().(interface{ Default() }); ok {
		d.Default()
	}
	return reflect.DeepEqual(owner.Field(field).Interface(), fresh.Elem().Field(field).Interface())
}

// isOnWire finds out whether the message's version has a field, by changing it and looking whether
// the bytes change. kmsg keeps that knowledge only in its encoders.
func (d *describer) isOnWire(owner reflect.Type, field int, v reflect.Value) bool {
	for _, p := range d.onWire {
		if p.owner == owner && p.field == field {
			return p.yes
		}
	}
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	change(v)
	p := probe{owner, field, !bytes.Equal(d.message.AppendTo(nil), d.original)}
	v.Set(old)
	d.onWire = append(d.onWire, p)
	return p.yes
}

// change gives v another value than it has.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 0x5a)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 0x5a)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Slice:
		longer := reflect.MakeSlice(v.Type(), v.Len()+1, v.Len()+1)
		reflect.Copy(longer, v)
		v.Set(longer)
	case reflect.Array:
		change(v.Index(0))
	case reflect.Pointer:
		other := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			other.Elem().Set(v.Elem())
			change(other.Elem())
		}
		v.Set(other)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type != tagsType {
				change(v.Field(i))
			}
		}
	}
}

func (d *describer) value(depth int, name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			d.add(depth, name, "null")
			return
		}
		d.value(depth, name, v.Elem())
	case reflect.Struct:
		d.add(depth, name, "")
		d.structure(depth+1, v)
	case reflect.Slice:
		d.slice(depth, name, v)
	default:
		d.add(depth, name, scalar(name, v))
	}
}

func (d *describer) slice(depth int, name string, v reflect.Value) {
	switch {
	case v.IsNil():
		d.add(depth, name, "null")
	case v.Type().Elem().Kind() == reflect.Uint8:
		d.bytes(depth, name, v.Bytes())
	case v.Type().Elem().Kind() == reflect.Struct && v.Len() > 0:
		for i := range v.Len() {
			d.add(depth, name+"["+strconv.Itoa(i)+"]", "")
			d.structure(depth+1, v.Index(i))
		}
	default:
		text := "["
		for i := range v.Len() {
			if i > 0 {
				text += ", "
			}
			text += scalar("", v.Index(i))
		}
		d.add(depth, name, text+"]")
	}
}

// scalar is the text of a value without parts.
func scalar(name string, v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return v.String()
	case reflect.Array: // a uuid, as Kafka prints it
		id := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(id), v)
		return base64.RawURLEncoding.EncodeToString(id)
	}
	if name == "errorCode" {
		return itoa(v.Int()) + " " + Code(v.Int()).Name()
	}
	return itoa(v.Int())
}

// blob is the text of bytes: themselves if they are printable ASCII, else in hexadecimal.
func blob(b []byte) string {
	switch {
	case b == nil:
		return "null"
	case len(b) == 0:
		return "(empty)"
	}
	shown := b[:min(len(b), shownBytes)]
	text := string(shown)
	if bytes.ContainsFunc(shown, func(r rune) bool { return r < ' ' || r > '~' }) {
		text = "0x" + hex.EncodeToString(shown)
	}
	if len(b) > len(shown) {
		text += "... (" + strconv.Itoa(len(b)) + " bytes)"
	}
	return text
}
