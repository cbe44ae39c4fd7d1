package site

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options say what a build takes and makes.
type Options struct {
	Root     string                        // folder of the module
	Lessons  func() ([]byte, error)        // the lesson bundle, as JSON
	Compress bool                          // add brotli and gzip forms and budget.json
	CacheDir string                        // where compressed forms are kept between builds
	Progress func(Step)                    // hears of each finished step; may be nil
	Programs func(Program) ([]byte, error) // replaces the Go compiler; nil compiles
}

// Step is a finished part of a build.
type Step struct {
	Name, Detail string
	Took         time.Duration
}

// Site is a built site.
type Site struct {
	Files   Files
	Version string // hash of everything shipped, the service worker's version
	BuildID string // hash of everything the build was made from; scripts and page carry it
	Engine  string // path of engine.wasm
}

// Build makes the whole site in memory.
func Build(ctx context.Context, options Options) (*Site, error) {
	b := &builder{
		Options: options,
		web:     filepath.Join(options.Root, "web"),
		site:    &Site{Files: Files{}},
	}
	steps := []func(context.Context) error{
		b.compile, b.addLessons, b.identify, b.addScripts, b.addPage, b.addWorker, b.compress,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return b.site, nil
}

type builder struct {
	Options
	web     string
	site    *Site
	scripts bundler

	engine, app              []byte
	enginePath, appPath      string
	lessonsPath, workerURL   string
	editor, lab, boot, style string
	icons                    iconSet
}

func (b *builder) report(name, detail string, start time.Time) {
	if b.Progress != nil {
		b.Progress(Step{name, detail, time.Since(start)})
	}
}

// compile builds both programs at once: they share nothing, and linking keeps one core busy.
func (b *builder) compile(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() {
		var err error
		b.engine, err = b.program(ctx, Engine)
		failed <- err
	}()
	var err error
	b.app, err = b.program(ctx, App)
	if engineErr := <-failed; engineErr != nil {
		return engineErr
	}
	if err != nil {
		return err
	}
	b.enginePath = b.site.Files.AddHashed("web/engine.wasm", b.engine)
	b.appPath = b.site.Files.AddHashed("web/app.wasm", b.app)
	b.site.Engine = b.enginePath
	return nil
}

func (b *builder) program(ctx context.Context, program Program) ([]byte, error) {
	start := time.Now()
	compile := func(p Program) ([]byte, error) { return p.Compile(ctx, b.Root) }
	if b.Programs != nil {
		compile = b.Programs
	}
	content, err := compile(program)
	if err == nil {
		b.report(program.Name, megabytes(len(content)), start)
	}
	return content, err
}

func (b *builder) addLessons(context.Context) error {
	start := time.Now()
	content, err := b.Lessons()
	if err != nil {
		return fmt.Errorf("lessons: %w", err)
	}
	b.lessonsPath = b.site.Files.AddHashed("web/lessons.json", content)
	b.report("lessons", megabytes(len(content)), start)
	return nil
}

// identify names the build by what it is made from. The hash of the result (Version) will not do
// for that: scripts and page carry the name and are part of the result.
func (b *builder) identify(ctx context.Context) error {
	sources := Files{}
	for name, content := range b.site.Files {
		sources[name] = content
	}
	err := filepath.WalkDir(b.web, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "test" {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(b.web, path)
		if err != nil {
			return err
		}
		sources["source/"+filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	b.site.BuildID = sources.Digest()[:16]
	return err
}

// addScripts bundles in the order in which scripts need each other's names.
func (b *builder) addScripts(ctx context.Context) error {
	start := time.Now()
	support, err := goSupportScript(ctx)
	if err != nil {
		return err
	}
	b.scripts = bundler{web: b.web, goSupport: support, defines: map[string]string{}}
	constants := map[string]any{
		"ENGINE_URL": b.enginePath, "ENGINE_SIZE": len(b.engine),
		"APP_URL": b.appPath, "APP_SIZE": len(b.app),
		"LESSONS_URL": b.lessonsPath, "BUILD_ID": b.site.BuildID,
	}
	for name, value := range constants {
		if err := b.scripts.define(name, value); err != nil {
			return err
		}
	}
	for _, script := range []struct {
		source, constant string
		path             *string
	}{
		{"lab.css", "STYLE_URL", &b.style},
		{"editor.js", "EDITOR_URL", &b.editor},
		{"worker.js", "WORKER_URL", &b.workerURL},
		{"lab.js", "LAB_URL", &b.lab},
		{"boot.js", "BOOT_URL", &b.boot},
	} {
		content, err := b.scripts.bundle(script.source)
		if err != nil {
			return err
		}
		*script.path = b.site.Files.AddHashed("web/"+script.source, content)
		if err := b.scripts.define(script.constant, *script.path); err != nil {
			return err
		}
	}
	b.report("scripts", "", start)
	return nil
}

func (b *builder) addPage(context.Context) error {
	var err error
	if b.icons, err = addIcons(b.site.Files); err != nil {
		return err
	}
	if b.site.Files[manifestPath], err = manifest(b.icons); err != nil {
		return err
	}
	b.site.Files[pagePath], err = page{
		Name: productName, Description: description, Policy: Policy, BuildID: b.site.BuildID,
		Manifest: manifestPath, Icon: b.icons.svg, TouchIcon: b.icons.small,
		Style: b.style, LabScript: b.lab, BootScript: b.boot,
	}.render(b.web)
	return err
}

// addWorker comes after all else: the worker lists every file and is versioned by their content and
// its own.
func (b *builder) addWorker(context.Context) error {
	source, err := os.ReadFile(filepath.Join(b.web, workerPath))
	if err != nil {
		return fmt.Errorf("service worker: %w", err)
	}
	b.site.Version = Hash([]byte(b.site.Files.Digest() + Hash(source)))[:16]
	names := b.site.Files.Names()
	for i, name := range names {
		if name == pagePath {
			names[i] = "./" // some hosts redirect index.html, and a redirect cannot be stored
		}
	}
	if err := b.scripts.define("VERSION", b.site.Version); err != nil {
		return err
	}
	if err := b.scripts.define("FILES", names); err != nil {
		return err
	}
	if b.site.Files[workerPath], err = b.scripts.bundle(workerPath); err != nil {
		return err
	}
	b.site.Files[headersPath] = headersFile()
	return nil
}

func (b *builder) compress(context.Context) error {
	if !b.Compress {
		return nil
	}
	start := time.Now()
	files := b.site.Files
	if err := files.compressAll(b.CacheDir); err != nil {
		return err
	}
	first := []string{
		pagePath, manifestPath, b.icons.svg, b.style, b.lab, b.boot, b.appPath,
		b.workerURL, b.enginePath, b.lessonsPath,
	}
	slices.Sort(first)
	budget, err := newBudget(files, first)
	if err != nil {
		return err
	}
	files[budgetPath], err = budget.encode()
	b.report("brotli, gzip", megabytes(budget.TotalBr)+" before the first lesson", start)
	return err
}

func megabytes(size int) string {
	return strings.Replace(fmt.Sprintf("%.2f MB", float64(size)/1e6), "0.00 MB", "< 0.01 MB", 1)
}
