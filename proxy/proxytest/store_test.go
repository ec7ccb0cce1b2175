package proxytest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/proxy/proxytest"
)

// locked returns a folder that has paytape.lock and no cassette, and the URL of the store that has it.
func locked(t *testing.T) (dir, location string) {
	t.Helper()
	dir, location = t.TempDir(), "dir:"+t.TempDir()
	tape, err := os.ReadFile(filepath.Join("testdata", "paytape", "checkout.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "checkout.yaml")
	if err := os.WriteFile(file, tape, 0o600); err != nil {
		t.Fatal(err)
	}
	err = store.Push(context.Background(), []string{"checkout"}, store.Options{
		Dir: dir, URL: location,
	})
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, location
}

// TestStore replays a cassette that lies in a store.
func TestStore(t *testing.T) {
	dir, location := locked(t)
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "checkout", proxytest.Dir(dir))
	}).failed(t, "it is in paytape.lock and not in the folder", "to pull it: PAYTAPE_STORE=URL, or proxytest.Store")
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "checkout", proxytest.Dir(dir), proxytest.Store(location+"/none"))
	}).failed(t, "there is no folder")
	t.Setenv(proxytest.OfflineVariable, "true")
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "checkout", proxytest.Dir(dir), proxytest.Store(location), proxytest.Also("checkout"))
	}).failed(t, "it is in paytape.lock and not in the folder")
	t.Setenv(proxytest.OfflineVariable, "maybe")
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "checkout", proxytest.Dir(dir), proxytest.Store(location+"/."))
	}).failed(t, "PAYTAPE_OFFLINE: expected true or false")
	t.Setenv(proxytest.OfflineVariable, "")
	t.Setenv(proxytest.StoreVariable, location)
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "checkout", proxytest.Dir(dir), proxytest.Store(location+"/none"))
	}).failed(t, "there is no folder")
	// What failed without a store is tried again, now that there is one.
	if d := proxytest.Replay(t, "checkout", proxytest.Dir(dir)); d.URL == "" {
		t.Error("no deck")
	}
	if _, err := os.Stat(filepath.Join(dir, "checkout.yaml")); err != nil {
		t.Error(err)
	}
}
