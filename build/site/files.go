package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files maps a path relative to the site, with slashes, to its content.
type Files map[string][]byte

// Names returns the paths in alphabetical order.
func (f Files) Names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// AddHashed stores content under name with a hash of the content before the extension and returns
// that path: "web/app.wasm" becomes "web/app.0123456789ab.wasm".
func (f Files) AddHashed(name string, content []byte) string {
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + Hash(content)[:12] + ext
	f[hashed] = content
	return hashed
}

// Digest is one hash over all names and contents, the same on every machine.
func (f Files) Digest() string {
	var list strings.Builder
	for _, name := range f.Names() {
		fmt.Fprintf(&list, "%s %s\n", Hash(f[name]), name)
	}
	return Hash([]byte(list.String()))
}

// Hash returns the SHA-256 of content in hexadecimal.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Write puts the files into dir. It replaces an earlier site there, and refuses a folder that holds
// anything else, because it would have to delete what it did not make.
func (f Files) Write(dir string) error {
	if err := clearSite(dir); err != nil {
		return err
	}
	for _, name := range f.Names() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, f[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

func clearSite(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, workerPath)); err != nil {
		return fmt.Errorf("%s is not empty and holds no earlier site: choose another folder", dir)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue // a .git folder of a publishing branch is not ours to delete
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
