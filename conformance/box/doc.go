// Package box contains attacks on ripple's boxes: scripts that do what a box must prevent. Each
// runs twice: without a box, where it must succeed, and in a box, where it must fail. The tests
// check its effects from outside. When root runs them with RIPPLE_THOROUGH=1, they try each attack
// as root and as another user; otherwise a sample, as one of the two.
package box
