package cli

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"rebalancelab/engine"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/verdict"
)

// slice is the number of events between two looks at a run.
const slice = 100_000

// output is what run --json prints.
type output struct {
	Scenario string           `json:"scenario"`
	Runs     []verdict.Report `json:"runs"`
}

func runVerb(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	seed := fs.Uint64("seed", 1, "")
	variant := fs.String("variant", "", "")
	asJSON := fs.Bool("json", false, "")
	traceFile := fs.String("trace", "", "")
	files, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("run takes one FILE.star, not %d", len(files))
	}
	source, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	o := engine.Options{File: files[0], Source: string(source), Seed: *seed, Variant: *variant}
	runs, err := runAll(o, *traceFile)
	if err != nil {
		return err
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(output{files[0], runs}); err != nil {
			return err
		}
	} else {
		for _, r := range runs {
			printRun(out, r)
		}
	}
	for _, r := range runs {
		if !r.OK() {
			return errFailed
		}
	}
	return nil
}

// runAll runs the variant that o names, or every variant of the file.
func runAll(o engine.Options, traceFile string) ([]verdict.Report, error) {
	var runs []verdict.Report
	variants := []string{o.Variant}
	for i := 0; i < len(variants); i++ {
		o.Variant = variants[i]
		lab, err := engine.Load(o)
		if err != nil {
			return nil, err
		}
		if i == 0 && o.Variant == "" {
			variants = append(variants[:0], lab.Variants()...)
			if len(variants) == 0 {
				variants = []string{""}
			}
		}
		err = finish(lab)
		if err == nil {
			runs = append(runs, lab.Report())
			if traceFile != "" {
				err = writeTrace(lab, traceFile, variants[i])
			}
		}
		lab.Close()
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

func finish(lab *engine.Lab) error {
	for {
		done, err := lab.Advance(slice)
		if err != nil || done {
			return err
		}
	}
}

// writeTrace writes one line an event. With several variants each has its own file.
func writeTrace(lab *engine.Lab, name, variant string) error {
	if variant != "" {
		name += "." + strings.ReplaceAll(variant, " ", "-")
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	lab.Tell(func(index int, at int64, who, text string) {
		fmt.Fprintf(w, "%7d %s %-10s %s\n", index, tell.Clock(at), who, text)
	})
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func printRun(w io.Writer, r verdict.Report) {
	title := "run"
	if r.Variant != "" {
		title = r.Variant
	}
	fmt.Fprintf(w, "%s  seed %d  %s virtual  %d events  trace %s\n",
		title, r.Seed, tell.Seconds(r.VirtualMs*1e6), r.Events, r.TraceHash)
	for _, e := range r.Expectations {
		mark := "ok  "
		if !e.OK {
			mark = "FAIL"
		}
		fmt.Fprintf(w, "  %s  line %-3d %s\n", mark, e.Line, e.Text)
		if !e.OK {
			fmt.Fprintf(w, "        got   %s\n        want  %s\n", e.Got, e.Want)
		}
	}
}
