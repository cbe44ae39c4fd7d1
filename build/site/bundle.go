package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// bundler bundles and minifies the scripts and styles of web/.
type bundler struct {
	web       string // folder of the sources
	goSupport string // path of wasm_exec.js, what "go:wasm_exec" imports
	defines   map[string]string
}

// define makes name a constant of every script that is bundled afterwards.
func (b *bundler) define(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("constant %s: %w", name, err)
	}
	b.defines[name] = string(text)
	return nil
}

// bundle returns one file that holds entry and all it imports.
func (b *bundler) bundle(entry string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(b.web, entry)},
		Outdir:            b.web, // names the output only: nothing is written
		Bundle:            true,
		Write:             false,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Define:            b.defines,
		LogLevel:          api.LogLevelSilent,
		Plugins:           []api.Plugin{b.resolveGoSupport()},
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("bundling %s: %w", entry, bundleErrors(result.Errors))
	}
	if len(result.OutputFiles) != 1 {
		return nil, fmt.Errorf("bundling %s gave %d files, want one", entry, len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, nil
}

func (b *bundler) resolveGoSupport() api.Plugin {
	resolve := func(api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: b.goSupport}, nil
	}
	return api.Plugin{Name: "go-support", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^go:wasm_exec$"}, resolve)
	}}
}

func bundleErrors(messages []api.Message) error {
	var list []error
	for _, message := range messages {
		text := message.Text
		if at := message.Location; at != nil {
			text = fmt.Sprintf("%s:%d: %s", at.File, at.Line, text)
		}
		list = append(list, errors.New(text))
	}
	return errors.Join(list...)
}
