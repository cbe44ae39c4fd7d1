package sim

// pool hands out values in blocks and takes them back, so that a run of a million messages leaves a
// few blocks to the garbage collector, not a million objects. A value that is not given back is
// collected with its block.
type pool[T any] struct {
	block []T
	spare []*T
}

// poolBlock is the number of values made at once.
const poolBlock = 64

// get returns a zero value.
func (p *pool[T]) get() *T {
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

// put takes back a value that nobody refers to any more.
func (p *pool[T]) put(v *T) {
	var zero T
	*v = zero
	p.spare = append(p.spare, v)
}
