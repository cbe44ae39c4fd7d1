// Package peers owns the comparisons with other libraries: the same work done by ours and by them,
// side by side in one benchmark. It is a module of its own so that the lab does not depend on its
// peers. Figures depend on the machine; ratios are what counts.
package peers
