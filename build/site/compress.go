package site

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/andybalholm/brotli"
)

// encodings are the precompressed forms, best first, with the suffix that Caddy and other servers
// look for beside a file, and the suffix in the cache, which changes with the encoder's settings.
var encodings = []struct {
	name, suffix, kept string
	encode             func([]byte) ([]byte, error)
}{
	{"br", ".br", ".window24.br", encodeBrotli},
	{"gzip", ".gz", ".gz", encodeGzip},
}

// compressAll adds the compressed forms of every file that is served. Compressing hard is slow, so
// results are kept by content in cacheDir, which may be deleted at any time.
func (f Files) compressAll(cacheDir string) error {
	work := make(chan string)
	var mu sync.Mutex // guards added and failed
	added, failed := Files{}, error(nil)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for name := range work {
				forms, err := compressCached(cacheDir, name, f[name])
				mu.Lock()
				for form, content := range forms {
					added[form] = content
				}
				if err != nil {
					failed = fmt.Errorf("compressing %s: %w", name, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, name := range f.Names() {
		if name != headersPath {
			work <- name
		}
	}
	close(work)
	workers.Wait()
	for name, content := range added {
		f[name] = content
	}
	return failed
}

func compressCached(cacheDir, name string, content []byte) (Files, error) {
	forms := Files{}
	for _, encoding := range encodings {
		kept := filepath.Join(cacheDir, Hash(content)+encoding.kept)
		encoded, err := os.ReadFile(kept)
		if err != nil {
			if encoded, err = encoding.encode(content); err != nil {
				return forms, err
			}
			if err := keep(kept, encoded); err != nil {
				return forms, err
			}
		}
		forms[name+encoding.suffix] = encoded
	}
	return forms, nil
}

// keep writes a file so that another build never sees half of it.
func keep(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	half, err := os.CreateTemp(filepath.Dir(name), "half-")
	if err != nil {
		return err
	}
	_, err = half.Write(content)
	if closed := half.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(half.Name(), name)
}

func encodeBrotli(content []byte) ([]byte, error) {
	var out bytes.Buffer
	writer := brotli.NewWriterOptions(&out, brotli.WriterOptions{
		Quality: brotli.BestCompression, LGWin: 24, // the largest window that every browser must know
	})
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	err := writer.Close()
	return out.Bytes(), err
}

func encodeGzip(content []byte) ([]byte, error) {
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	err = writer.Close()
	return out.Bytes(), err
}
