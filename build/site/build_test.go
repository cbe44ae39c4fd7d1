package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// sources writes a small web/ folder: the real page, loader and service worker, stand-ins for what
// is large. It returns the options that build from it.
func sources(t *testing.T) Options {
	t.Helper()
	root := t.TempDir()
	web := filepath.Join(root, "web")
	require.NoError(t, os.Mkdir(web, 0o755))
	for _, name := range []string{"index.html", "boot.js", "offline.js", "loader.js", workerPath} {
		content, err := os.ReadFile(filepath.Join("../../web", name))
		require.NoError(t, err)
		writeFile(t, web, name, string(content))
	}
	writeFile(t, web, "lab.css", "body { margin: 0 }")
	writeFile(t, web, "lab.js", `console.log(WORKER_URL, EDITOR_URL, ENGINE_URL, ENGINE_SIZE)`)
	writeFile(t, web, "worker.js", `postMessage(ENGINE_URL)`)
	writeFile(t, web, "editor.js", `export function open() {}`)
	return Options{
		Root:     root,
		Lessons:  func() ([]byte, error) { return []byte(`{"lessons":[]}`), nil },
		CacheDir: filepath.Join(root, "compressed"),
		Programs: func(p Program) ([]byte, error) { return []byte("\x00asm " + p.Name), nil },
	}
}

func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
}

func build(t *testing.T, options Options) *Site {
	t.Helper()
	site, err := Build(context.Background(), options)
	require.NoError(t, err)
	return site
}

// find returns the one file whose name matches, with its name.
func find(t *testing.T, files Files, pattern string) (string, string) {
	t.Helper()
	var found []string
	for _, name := range files.Names() {
		if regexp.MustCompile(pattern).MatchString(name) {
			found = append(found, name)
		}
	}
	require.Len(t, found, 1, pattern)
	return found[0], string(files[found[0]])
}

func TestFilesUnderWebAreNamedByTheirContent(t *testing.T) {
	for name, content := range build(t, sources(t)).Files {
		if strings.HasPrefix(name, "web/") {
			require.Regexp(t, `^web/[a-z0-9-]+\.`+Hash(content)[:12]+`\.[a-z]+$`, name)
		}
	}
}

func TestScriptsKnowTheHashedNames(t *testing.T) {
	site := build(t, sources(t))
	engine, content := find(t, site.Files, `^web/engine\..*wasm$`)
	require.Equal(t, engine, site.Engine)
	require.Equal(t, "\x00asm engine.wasm", content)
	worker, text := find(t, site.Files, `^web/worker\.`)
	require.Contains(t, text, engine)
	editor, _ := find(t, site.Files, `^web/editor\.`)
	_, lab := find(t, site.Files, `^web/lab\..*js$`)
	require.Contains(t, lab, worker)
	require.Contains(t, lab, editor)
	_, boot := find(t, site.Files, `^web/boot\.`)
	app, _ := find(t, site.Files, `^web/app\.`)
	require.Contains(t, boot, app)
	require.Contains(t, boot, site.BuildID)
	require.Contains(t, string(site.Files[pagePath]), site.BuildID)
}

func TestTwoBuildsOfOneSourceAreEqual(t *testing.T) {
	options := sources(t)
	require.Equal(t, build(t, options).Files, build(t, options).Files)
}

func TestAnyChangeMakesAnotherServiceWorker(t *testing.T) {
	before := build(t, sources(t))
	changes := map[string]func(*Options){
		"a lesson": func(o *Options) {
			o.Lessons = func() ([]byte, error) { return []byte(`{"lessons":[1]}`), nil }
		},
		"a program": func(o *Options) {
			o.Programs = func(p Program) ([]byte, error) { return []byte("\x00asm 2" + p.Name), nil }
		},
		"the style": func(o *Options) {
			writeFile(t, filepath.Join(o.Root, "web"), "lab.css", "body { margin: 1px }")
		},
		"the worker itself": func(o *Options) {
			text, err := os.ReadFile(filepath.Join(o.Root, "web", workerPath))
			require.NoError(t, err)
			writeFile(t, filepath.Join(o.Root, "web"), workerPath, string(text)+"\nfetch('x');\n")
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			options := sources(t)
			change(&options)
			after := build(t, options)
			require.NotEqual(t, before.Version, after.Version)
			require.Contains(t, string(after.Files[workerPath]), after.Version)
			require.NotEqual(t, before.Files[workerPath], after.Files[workerPath])
		})
	}
}

func TestServiceWorkerStoresEveryFileOfTheSite(t *testing.T) {
	site := build(t, sources(t))
	worker := string(site.Files[workerPath])
	for name := range site.Files {
		switch name {
		case workerPath, headersPath:
			require.NotContains(t, worker, `"`+name+`"`)
		case pagePath:
			require.Contains(t, worker, `"./"`)
		default:
			require.Contains(t, worker, `"`+name+`"`)
		}
	}
}

func TestPageAndManifestHoldOnlyRelativeAddressesOfExistingFiles(t *testing.T) {
	site := build(t, sources(t))
	root, err := html.Parse(bytes.NewReader(site.Files[pagePath]))
	require.NoError(t, err)
	addresses := 0
	for node := range root.Descendants() {
		for _, attr := range node.Attr {
			if attr.Key == "href" || attr.Key == "src" {
				require.Contains(t, site.Files, attr.Val)
				addresses++
			}
		}
		if node.Data == "script" {
			require.Nil(t, node.FirstChild, "inline script")
		}
	}
	require.Greater(t, addresses, 5)
	var app struct {
		Start string `json:"start_url"`
		Scope string
		Icons []manifestIcon
	}
	require.NoError(t, json.Unmarshal(site.Files[manifestPath], &app))
	require.Equal(t, []string{"./", "./"}, []string{app.Start, app.Scope})
	for _, icon := range app.Icons {
		require.Contains(t, site.Files, icon.Src)
	}
}

func TestPageTellsWhatItNeedsWithoutScripts(t *testing.T) {
	page := string(build(t, sources(t)).Files[pagePath])
	for _, part := range []string{
		`<html lang="en">`, "<noscript>", `name="viewport"`, `name="description"`, `rel="manifest"`,
		"Content-Security-Policy", html.EscapeString(Policy),
	} {
		require.Contains(t, page, part)
	}
}

func TestEveryServedFileHasItsCompressedForms(t *testing.T) {
	options := sources(t)
	options.Compress = true
	files := build(t, options).Files
	for name, content := range files {
		if strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") ||
			name == headersPath || name == budgetPath {
			continue
		}
		plain, err := io.ReadAll(brotli.NewReader(bytes.NewReader(files[name+".br"])))
		require.NoError(t, err, name)
		require.Equal(t, content, plain, name)
		reader, err := gzip.NewReader(bytes.NewReader(files[name+".gz"]))
		require.NoError(t, err, name)
		plain, err = io.ReadAll(reader)
		require.NoError(t, err, name)
		require.Equal(t, content, plain, name)
	}
}

func TestBudgetSumsWhatLoadsBeforeTheFirstLesson(t *testing.T) {
	options := sources(t)
	options.Compress = true
	files := build(t, options).Files
	var budget Budget
	require.NoError(t, json.Unmarshal(files[budgetPath], &budget))
	total := 0
	for name, size := range budget.Files {
		require.Len(t, files[name+".br"], size, name)
		total += size
	}
	require.Equal(t, total, budget.TotalBr)
	counted := strings.Join(Files(filesOf(budget)).Names(), " ")
	for _, part := range []string{"index.html", "engine", "app", "worker", "boot", "lab", "lessons"} {
		require.Contains(t, counted, part)
	}
	require.NotContains(t, counted, "editor")
}

func filesOf(b Budget) Files {
	files := Files{}
	for name := range b.Files {
		files[name] = nil
	}
	return files
}

func TestBuildNamesTheScriptAndLineOfAMistake(t *testing.T) {
	options := sources(t)
	writeFile(t, filepath.Join(options.Root, "web"), "worker.js", "ok();\nnot javascript")
	_, err := Build(context.Background(), options)
	require.ErrorContains(t, err, "worker.js:2")
}

func TestWriteReplacesAnEarlierSiteAndNothingElse(t *testing.T) {
	files := build(t, sources(t)).Files
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, files.Write(dir))
	writeFile(t, filepath.Join(dir, "web"), "old.0123456789ab.js", "")
	require.NoError(t, files.Write(dir))
	require.NoFileExists(t, filepath.Join(dir, "web", "old.0123456789ab.js"))
	for name := range files {
		require.FileExists(t, filepath.Join(dir, name))
	}
	other := t.TempDir()
	writeFile(t, other, "thesis.txt", "three years of work")
	require.ErrorContains(t, files.Write(other), "holds no earlier site")
	require.FileExists(t, filepath.Join(other, "thesis.txt"))
}

func TestIconsArePicturesOfTheirSize(t *testing.T) {
	for _, size := range []int{192, 512} {
		content, err := iconPNG(size)
		require.NoError(t, err)
		picture, err := png.Decode(bytes.NewReader(content))
		require.NoError(t, err)
		require.Equal(t, size, picture.Bounds().Dx())
		require.Equal(t, mark[1].colour, picture.At(size/2, size/2), "the middle bar crosses the middle")
	}
}
