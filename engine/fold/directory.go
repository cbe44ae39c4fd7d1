package fold

import "rebalancelab/engine/trace"

// Role says what kind of process a name belongs to.
type Role uint8

// The roles of processes.
const (
	RoleConsumer Role = iota
	RoleProducer
	RoleBroker
	RoleServer // of a neighbour
)

// Actor is one process of the cast.
type Actor struct {
	Name  string
	Role  Role
	Group string
	// Of is the neighbour that it reads or writes; empty: Kafka.
	Of string
}

// Directory numbers the things that events are about, in order of appearance: equal for all states
// of one run, so that they can be plain slices.
type Directory struct {
	log     *trace.Log
	roles   map[trace.Ref]Actor
	brokers index[trace.Ref]
	clients index[trace.Ref]
	parts   index[partKey]
	copies  index[copyKey]
	groups  index[trace.Ref]
	readers index[readerKey]
	members index[memberKey]
	stores  index[trace.Ref]

	servers index[trace.Ref]
	nears   index[memberKey] // a neighbour's thing, and a process in it or none
}

type partKey struct {
	topic trace.Ref
	part  int32
}

type copyKey struct {
	partKey
	broker trace.Ref
}

type readerKey struct {
	group trace.Ref
	partKey
}

type memberKey struct{ group, id trace.Ref }

// index gives numbers to keys in order of first use.
type index[K comparable] struct {
	at   map[K]int
	keys []K
}

func (x *index[K]) of(k K) int {
	n, ok := x.at[k]
	if !ok {
		if x.at == nil {
			x.at = map[K]int{}
		}
		n = len(x.keys)
		x.at[k] = n
		x.keys = append(x.keys, k)
	}
	return n
}

// NewDirectory returns the directory of a run whose processes are cast.
func NewDirectory(log *trace.Log, cast []Actor) *Directory {
	d := &Directory{log: log, roles: map[trace.Ref]Actor{}}
	for _, a := range cast {
		d.Add(a)
	}
	return d
}

// Add makes a process known that joins the cast while the run goes on.
func (d *Directory) Add(a Actor) {
	r := d.log.Ref(a.Name)
	d.roles[r] = a
	switch a.Role {
	case RoleBroker:
		d.brokers.of(r)
	case RoleServer:
		d.servers.of(r)
	default:
		d.clients.of(r)
	}
}

// broker and client tell whether r is one, and its number.
func (d *Directory) broker(r trace.Ref) (int, bool) {
	n, ok := d.brokers.at[r]
	return n, ok
}

func (d *Directory) client(r trace.Ref) (int, bool) {
	n, ok := d.clients.at[r]
	return n, ok
}

// part is the name "topic-0" of partition n.
func (d *Directory) part(n int) string {
	k := d.parts.keys[n]
	return d.log.String(k.topic) + "-" + itoa(int64(k.part))
}

// itoa is the decimal text of v; strconv would do, this keeps small allocations away.
func itoa(v int64) string {
	if v >= 0 && v < 10 {
		return "0123456789"[v : v+1]
	}
	var b [20]byte
	i := len(b)
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	for ; u > 0; u /= 10 {
		i--
		b[i] = '0' + byte(u%10)
	}
	if v < 0 {
		i--
		b[i] = '-'
	}
	return string(b[i:])
}
