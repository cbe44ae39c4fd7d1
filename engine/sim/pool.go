package sim

// Pool hands out values and takes them back, so that a run of a million messages leaves a few blocks
// to the garbage collector, not a million objects. It belongs to one event loop. Its zero value is
// ready; a value that is never given back is collected with its block.
type Pool[T any] struct {
	block []T
	spare []*T
}

// poolBlock is the number of values made at once.
const poolBlock = 32

// Get returns a value that nobody else refers to: a zero one, or one as it was given back.
func (p *Pool[T]) Get() *T {
	if n := len(p.spare); n > 0 {
		v := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return v
	}
	if len(p.block) == 0 {
		p.block = make([]T, poolBlock)
	}
	v := &p.block[0]
	p.block = p.block[1:]
	return v
}

// Put takes back a value that nobody refers to any more. What it refers to itself stays alive.
func (p *Pool[T]) Put(v *T) { p.spare = append(p.spare, v) }
