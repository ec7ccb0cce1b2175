package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/paytape/paytape/proxy/deck"
)

// ready is what a ready file tells a program that waits for paytape to serve.
type ready struct {
	Proxy   string `json:"proxy,omitempty"`   // URL of the deck
	Sandbox string `json:"sandbox,omitempty"` // URL of the built-in sandbox
	Control string `json:"control,omitempty"` // URL of its control address
	Admin   string `json:"admin,omitempty"`   // URL for health, metrics and reset
	PID     int    `json:"pid"`
}

// readyAt is what a ready file tells of a deck.
func readyAt(d *deck.Deck) ready { return ready{Proxy: d.URL, Sandbox: d.Sandbox, Admin: d.Admin} }

// while keeps the ready file there until done is closed. Empty means no file.
func (r ready) while(file string, done <-chan struct{}) error {
	if file == "" {
		<-done
		return nil
	}
	r.PID = os.Getpid()
	if err := r.write(file); err != nil {
		return fmt.Errorf("writing the ready file: %w", err)
	}
	<-done
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the ready file: %w", err)
	}
	return nil
}

// write puts the whole file there at once: whoever sees it can read it.
func (r ready) write(file string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".paytape-ready-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(append(data, '\n'))
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
