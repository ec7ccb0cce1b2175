package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/paytape/paytape/proxy"
)

// sharedRun is a run at decks that run already, in a session of its own.
type sharedRun struct {
	deck    string // the URL of the decks; empty: the run starts a deck of its own
	session string // empty: that of the CI job
}

func (s *sharedRun) flags(fs *pflag.FlagSet) {
	fs.StringVar(&s.deck, "deck", "", "run the command with the decks at `URL`, in a session of the CI "+
		"job,\nand start no deck; see paytape help scale")
	fs.StringVar(&s.session, "session", "", "`NAME` of the session, in place of that of the CI job")
}

// ciJob says by which variables a service that builds and tests tells a job from all others.
type ciJob struct {
	service   string
	variables []string
}

// ciJobs are the services, each with variables of which the first is there only at that service. The
// names are those of the documentation of each service.
var ciJobs = []ciJob{
	// A job of a matrix has the name of the others: the id that its runner is tracked by is its own.
	{"github", []string{"GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB", "RUNNER_TRACKING_ID"}},
	{"gitlab", []string{"CI_JOB_ID", "CI_SERVER_HOST"}},
	{"circleci", []string{"CIRCLE_WORKFLOW_JOB_ID", "CIRCLE_NODE_INDEX"}},
	{"buildkite", []string{"BUILDKITE_JOB_ID", "BUILDKITE_RETRY_COUNT"}},
	{"azure", []string{"SYSTEM_JOBID", "SYSTEM_JOBATTEMPT", "BUILD_BUILDID"}},
	{"bitbucket", []string{"BITBUCKET_STEP_UUID", "BITBUCKET_BUILD_NUMBER"}},
	{"travis", []string{"TRAVIS_JOB_ID"}},
	{"appveyor", []string{"APPVEYOR_JOB_ID"}},
	{"codebuild", []string{"CODEBUILD_BUILD_ID"}},
	{"semaphore", []string{"SEMAPHORE_JOB_ID"}},
	{"drone", []string{"DRONE_BUILD_NUMBER", "DRONE_REPO", "DRONE_STAGE_NUMBER", "DRONE_STEP_NUMBER"}},
	{"jenkins", []string{"BUILD_TAG", "JENKINS_URL"}}, // others have a BUILD_TAG too: it is asked last
}

// ciSession returns the name of the session of a CI job for a cassette; elsewhere a name that nobody
// has. What a job calls itself goes into a digest: it may be anything.
func ciSession(cassette string, lookup func(string) (string, bool)) string {
	cassette = cassette[strings.LastIndex(cassette, "/")+1:]
	cassette = cassette[:min(len(cassette), 30)]
	for _, job := range ciJobs {
		if id, _ := lookup(job.variables[0]); id == "" {
			continue
		}
		sum := sha256.New()
		for _, name := range job.variables {
			value, _ := lookup(name)
			fmt.Fprintf(sum, "%s=%q;", name, value) // a hash takes everything
		}
		return cassette + "-" + job.service + "-" + hex.EncodeToString(sum.Sum(nil)[:8])
	}
	return cassette + "-" + strings.ToLower(rand.Text()[:13])
}

// check looks at the flags.
func (s *sharedRun) check() error {
	if s.deck == "" {
		if s.session != "" {
			return misused(errors.New("--session: it is for --deck; a deck of its own has no other clients"))
		}
		return nil
	}
	u, err := url.Parse(s.deck)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
		strings.Trim(u.Path, "/") != "" {
		return misused(errors.New("--deck: expected http://HOST:PORT or https://HOST"))
	}
	if s.session != "" {
		if named, err := proxy.SessionOf("/~" + s.session + "/"); err != nil || named != s.session {
			return misused(errors.New("--session: expected up to 64 letters, digits, dots, dashes and " +
				"underscores"))
		}
	}
	return nil
}

// excludes refuses the flags of a deck beside --deck. Only those that were given are looked at:
// settings are for all runs.
func (s *sharedRun) excludes(cmd *cobra.Command) (err error) {
	if !cmd.Flags().Changed("deck") {
		return nil
	}
	own := []string{"deck", "session", "log-level", "log-format"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(own, f.Name) {
			err = misused(fmt.Errorf("--deck and --%s exclude each other: no deck is started", f.Name))
		}
	})
	return err
}

// runShared runs a command with decks that run already.
func (r *runner) runShared(ctx context.Context, name string, command []string) error {
	signals := watchSignals()
	defer signals.stop()
	program, err := exec.LookPath(command[0])
	if err != nil {
		return misused(fmt.Errorf("finding the command: %w", err))
	}
	session := r.shared.session
	if session == "" {
		session = ciSession(name, r.env.Lookup)
	}
	at := strings.TrimSuffix(r.shared.deck, "/") + "/~" + session
	r.voice.say("running with %s", at)
	t := task{
		program: program, args: command, signals: signals, app: r.app,
		env: append(slices.Clone(r.env.Environ), "PAYTAPE_URL="+at),
	}
	return t.run(ctx)
}
