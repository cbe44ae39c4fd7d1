// Package wasmtest owns the headless host: the built engine.wasm, byte for byte the file that the
// browser runs, loaded into wazero.
//
// Its tests run every lesson and a sample of seeds through that file and compare the trace hash with
// the native run. The file's path comes from LAB_ENGINE_WASM, which "go run ./build test" sets. The
// package never builds anything and never looks inside the engine.
package wasmtest
