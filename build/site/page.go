package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"path/filepath"
)

const (
	productName = "Rebalance Lab"
	description = "A Kafka consumer-group laboratory that runs whole in your browser: predict, run, " +
		"and see why each rebalance, commit and lost record happens."
)

// Paths that keep their names, because browsers and hosts look for them at the site's root.
const (
	pagePath     = "index.html"
	workerPath   = "service-worker.js"
	manifestPath = "manifest.webmanifest"
	budgetPath   = "budget.json"
	headersPath  = "_headers"
)

// page is what web/index.html is filled with; all paths are relative to it.
type page struct {
	Name, Description, Policy, BuildID string
	Manifest, Icon, TouchIcon          string
	Style, LabScript, BootScript       string
}

func (p page) render(web string) ([]byte, error) {
	source, err := template.ParseFiles(filepath.Join(web, pagePath))
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	var out bytes.Buffer
	if err := source.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return out.Bytes(), nil
}

type manifestIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

// iconSet holds the paths of the icons.
type iconSet struct{ svg, small, large string }

func addIcons(files Files) (iconSet, error) {
	small, err := iconPNG(192)
	if err != nil {
		return iconSet{}, err
	}
	large, err := iconPNG(512)
	return iconSet{
		svg:   files.AddHashed("web/icon.svg", iconSVG()),
		small: files.AddHashed("web/icon-192.png", small),
		large: files.AddHashed("web/icon-512.png", large),
	}, err
}

// manifest makes the lab installable. Start and scope are relative, like all else.
func manifest(icons iconSet) ([]byte, error) {
	size := func(name string, pixels int) manifestIcon {
		return manifestIcon{name, fmt.Sprintf("%dx%d", pixels, pixels), mediaTypes[path.Ext(name)], ""}
	}
	maskable := size(icons.large, 512)
	maskable.Purpose = "maskable"
	scalable := manifestIcon{icons.svg, "any", mediaTypes[".svg"], ""}
	all := []manifestIcon{scalable, size(icons.small, 192), size(icons.large, 512), maskable}
	text, err := json.MarshalIndent(map[string]any{
		"name":             productName,
		"short_name":       productName,
		"description":      description,
		"start_url":        "./",
		"scope":            "./",
		"display":          "standalone",
		"background_color": "#0f1318",
		"theme_color":      "#0f1318",
		"icons":            all,
	}, "", "  ")
	return append(text, '\n'), err
}
