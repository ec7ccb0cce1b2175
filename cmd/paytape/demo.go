package main

import (
	"io"

	"github.com/paytape/paytape/internal/demo"
	"github.com/spf13/cobra"
)

const demoLong = `demo starts the built-in sandbox, records three stories through the deck with
ordinary HTTP clients (a checkout whose shop waits to be called back, the life
of a card, a transfer between two cardholders), shows what the tape holds in
place of card numbers, CVCs, PINs and tokens, stops the sandbox, and replays the
stories with other orders, customers and cards, 40 days later. Every step is
verified: it exits with 1 if anything is not as told. It uses free ports of this
machine alone.`

func demoCommand(a *app) *cobra.Command {
	dir, keyFile := "", ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "see all of it in a few seconds",
		Long:  demoLong,
		Example: `  paytape demo
  paytape demo --dir cassettes`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := readOwnCallbackKey(keyFile)
			if err != nil {
				return err
			}
			kept, err := demo.Run(cmd.Context(), demo.Options{
				Dir: dir, Out: printableWriter{a.out}, Warn: a.voice.warn, CallbackKey: key,
			})
			if err != nil {
				return err
			}
			folder := shellWord(kept.Dir)
			a.print("\nall was as told; the cassette stays at %s\n", kept.File)
			a.print("  paytape show --dir %s %s\n", folder, kept.Name)
			a.print("  paytape replay --dir %s %s\n", folder, kept.Name)
			a.print("  paytape check %s\n", folder)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` of the cassette; without it a new one for "+
		"temporary files")
	ownCallbackKeyFlag(cmd.Flags(), &keyFile, "without it one is made")
	return cmd
}

// printableWriter is a writer to a terminal: see printable.
type printableWriter struct{ w io.Writer }

// Write writes text, and reports all of it as written if it was.
func (p printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.w, printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
