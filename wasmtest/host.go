package wasmtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"rebalancelab/engine/view"
)

// wazeroVersion is part of the cache folder's name: in tests the library cannot tell its own version
// and would take code compiled by another one.
const wazeroVersion = "1.12.0"

// Runtime is a compiled engine, ready to be instantiated many times.
type Runtime struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// Compile loads the file at path. The compiled code is cached below the user's cache folder.
func Compile(ctx context.Context, path string) (*Runtime, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("engine.wasm: %w (go run ./build test builds it)", err)
	}
	config := wazero.NewRuntimeConfigCompiler()
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "rebalancelab", "wazero-"+wazeroVersion)
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return nil, err
	}
	m, err := r.CompileModule(ctx, file)
	if err != nil {
		return nil, err
	}
	return &Runtime{runtime: r, module: m}, nil
}

// Close frees the compiled code.
func (r *Runtime) Close(ctx context.Context) error { return r.runtime.Close(ctx) }

// Instance is one running engine. After an error from Ask that is not a *Refused it must be thrown
// away.
type Instance struct {
	module api.Module
	alloc  api.Function
	call   api.Function
	stderr bytes.Buffer
}

// Instantiate starts an engine and refuses one with another ABI.
func (r *Runtime) Instantiate(ctx context.Context) (*Instance, error) {
	i := &Instance{}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithStderr(&i.stderr)
	m, err := r.runtime.InstantiateModule(ctx, r.module, config)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, i.stderr.String())
	}
	i.module = m
	i.alloc, i.call = m.ExportedFunction("alloc"), m.ExportedFunction("call")
	abi, err := m.ExportedFunction("abi").Call(ctx)
	if err != nil {
		return nil, err
	}
	if abi[0] != view.ABI {
		return nil, fmt.Errorf("engine.wasm speaks ABI %d, this host speaks ABI %d", abi[0], view.ABI)
	}
	return i, nil
}

// Close ends the engine.
func (i *Instance) Close(ctx context.Context) error { return i.module.Close(ctx) }

// MemorySize is the size of the linear memory in bytes.
func (i *Instance) MemorySize() uint32 { return i.module.Memory().Size() }

// Refused is an error that the engine answered with: the instance is as good as before.
type Refused struct{ view.Problem }

func (r *Refused) Error() string { return r.Text }

// Ask puts a question and decodes the answer into out, unless out is nil.
func (i *Instance) Ask(ctx context.Context, op view.Op, question, out view.Coded) error {
	body, err := i.Raw(ctx, op, question)
	if err != nil || out == nil {
		return err
	}
	if !view.Decode(body, out) {
		return fmt.Errorf("the answer to op %d does not decode", op)
	}
	return nil
}

// Raw puts a question and returns the bytes of the answer.
func (i *Instance) Raw(ctx context.Context, op view.Op, question view.Coded) ([]byte, error) {
	q := []byte{byte(op)}
	if question != nil {
		q = view.Encode(q, question)
	}
	ptr, err := i.alloc.Call(ctx, uint64(len(q)))
	if err != nil {
		return nil, i.trap(err)
	}
	if !i.module.Memory().Write(uint32(ptr[0]), q) {
		return nil, errors.New("alloc gave a place outside the memory")
	}
	got, err := i.call.Call(ctx, ptr[0], uint64(len(q)))
	if err != nil {
		return nil, i.trap(err)
	}
	window, ok := i.module.Memory().Read(uint32(got[0]>>32), uint32(got[0]))
	if !ok || len(window) == 0 {
		return nil, errors.New("the answer lies outside the memory")
	}
	answer := bytes.Clone(window) // the window is cut off when the memory grows
	if answer[0] == view.AnswerOK {
		return answer[1:], nil
	}
	var p view.Problem
	if !view.Decode(answer[1:], &p) {
		return nil, errors.New("the engine's error does not decode")
	}
	return nil, &Refused{p}
}

// trap joins what the engine wrote before it died.
func (i *Instance) trap(err error) error {
	return fmt.Errorf("%w\n%s", err, i.stderr.String())
}
