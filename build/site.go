package main

import (
	"context"
	"errors"
	"fmt"

	"rebalancelab/build/site"
)

// writeSite writes the static site with its compressed forms to a folder.
func writeSite(ctx context.Context, root string, args []string) error {
	set := flags("site")
	out := set.String("out", "", "folder to write to; an earlier site there is replaced")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("say where to: go run ./build site --out DIR")
	}
	options := siteOptions(root)
	options.Compress = true
	built, err := site.Build(ctx, options)
	if err != nil {
		return err
	}
	if err := built.Files.Write(*out); err != nil {
		return err
	}
	fmt.Printf("%s: version %s, %d files\n", *out, built.Version, len(built.Files))
	return nil
}
