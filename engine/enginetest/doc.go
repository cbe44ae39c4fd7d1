// Package enginetest owns what tests of several hosts share: the canonical scenario, the lessons with
// their solutions, and how to run one natively.
//
// It is used by tests only and asserts nothing itself.
package enginetest
