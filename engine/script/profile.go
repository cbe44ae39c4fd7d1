package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
)

// Profile is the client library that a consumer's program stands on: profile = "spring" and the
// arguments that go with it. The zero value is the Java client.
type Profile struct {
	// Library is a name of [client.Profiles]; empty: java.
	Library string
	// Topics and Pattern are what a library subscribes to by itself.
	Topics  []string
	Pattern string
	Spring  SpringOptions
	Reader  ReaderOptions
	// Thread is the number of this consumer among those of one container.
	Thread int

	RebalanceTimeout     time.Duration
	BlockRebalanceOnPoll bool
}

// profileArguments are the arguments that a library has beside the settings.
var profileArguments = map[string][]string{
	"java": nil,
	"spring": {"topics", "topic_pattern", "concurrency", "ack_mode", "ack_count", "ack_time", "batch_listener",
		"back_off", "max_attempts", "poll_timeout"},
	"kafka-go": {"topics", "rebalance_timeout", "join_group_backoff", "watch_partition_changes",
		"partition_watch_interval", "commit_interval"},
	"franz-go": {"rebalance_timeout", "block_rebalance_on_poll"},
}

// profileOf reads profile = ... and what belongs to that library.
func profileOf(a *arguments) Profile {
	p := Profile{Library: a.text("profile", "java")}
	if !contains(client.Profiles, p.Library) {
		a.fail("profile = %q%s", p.Library, suggest(p.Library, client.Profiles))
		return p
	}
	for _, library := range client.Profiles {
		for _, name := range profileArguments[library] {
			if _, given := a.has(name); given && !contains(profileArguments[p.Library], name) {
				a.fail("%s goes only with profile = %q", name, library)
				return p
			}
		}
	}
	switch p.Library {
	case "spring":
		p.readTopics(a)
		p.Pattern = a.text("topic_pattern", "")
		p.Spring = springOptions(a)
		if a.err == nil && len(p.Topics) == 0 && p.Pattern == "" {
			a.fail("topics is missing: what the listener reads, as topics = [\"orders\"]")
		}
	case "kafka-go":
		p.readTopics(a)
		p.RebalanceTimeout = a.duration("rebalance_timeout", 0)
		p.Reader = readerOptions(a)
	case "franz-go":
		p.RebalanceTimeout = a.duration("rebalance_timeout", 0)
		p.BlockRebalanceOnPoll = a.flag("block_rebalance_on_poll")
	}
	return p
}

func (p *Profile) readTopics(a *arguments) {
	if v, ok := a.named("topics"); ok {
		p.Topics = a.asTexts("topics", v)
	}
}

// flag reads True or False, False when left out.
func (a *arguments) flag(name string) bool {
	v, ok := a.named(name)
	if !ok {
		return false
	}
	b, ok := v.(starlark.Bool)
	if !ok {
		a.fail("%s = %s: must be True or False", name, brief(v))
	}
	return bool(b)
}

// config is the configuration that the library starts from.
func (p *Profile) config() client.ConsumerConfig {
	name := p.Library
	if name == "" {
		name = "java"
	}
	cfg, err := client.ProfileConfig(name)
	if err != nil {
		panic("script: " + err.Error())
	}
	if p.RebalanceTimeout > 0 {
		cfg.Library.RebalanceTimeout = p.RebalanceTimeout
	}
	cfg.Library.BlockRebalance = p.BlockRebalanceOnPoll
	if p.Library == "kafka-go" {
		cfg.Library.JoinBackoff = p.Reader.JoinGroupBackoff
		cfg.Library.WatchPartitions = p.Reader.watch()
	}
	return cfg
}

// threads are the consumers of one container: each is a process of its own, called after the
// container and its number, so that kill("orders-*") ends them all.
func (c *ConsumerSpec) threads() []*ConsumerSpec {
	n := c.Profile.Spring.Concurrency
	if n <= 1 {
		return []*ConsumerSpec{c}
	}
	all := make([]*ConsumerSpec, n)
	for i := range all {
		thread := *c
		thread.Name, thread.Profile.Thread = fmt.Sprintf("%s-%d", c.Name, i), i
		thread.Settings = append([]Setting(nil), c.Settings...)
		all[i] = &thread
	}
	return all
}

// clientName is the client id: the process's name, to which spring-kafka always adds the number of
// the thread. [ConcurrentMessageListenerContainer, alwaysClientIdSuffix]
func (p *Profile) clientName(name string) string {
	if p.Library == "spring" && p.Spring.Concurrency <= 1 {
		return name + "-0"
	}
	return name
}

// suffix adds the number of the thread to what was given: the client id and the instance id, since
// two members may not share one (S48).
func (p *Profile) suffix(cfg *client.ConsumerConfig, given map[string]bool) {
	if p.Library != "spring" {
		return
	}
	number := fmt.Sprintf("-%d", p.Thread)
	if given["client_id"] {
		cfg.ClientID += number
	}
	if cfg.GroupInstanceID != "" {
		cfg.GroupInstanceID += number
	}
}

// runProgram is the scenario's function, called as its library calls the code of an application.
func (s *strand) runProgram() error {
	a := s.app
	switch p := &a.spec.Profile; {
	case p.Library == "spring":
		return newContainer(s).run()
	case len(p.Topics) > 0:
		if err := a.consumer.Subscribe(p.Topics, nil); err != nil {
			return err
		}
	}
	_, err := starlark.Call(s.thread, a.spec.Run, starlark.Tuple{a.self}, nil)
	return err
}

// refuses says why a call is not there in this library, or nil.
func (p *Profile) refuses(call string) error {
	reader := contains(readerCalls, call)
	switch {
	case p.Library == "kafka-go" && !reader && !contains(readerToo, call):
		return fmt.Errorf("c.%s: kafka-go's Reader has no such call; it has %s", call, joinNames(append(
			append([]string(nil), readerCalls...), readerToo...)))
	case p.Library != "kafka-go" && reader:
		return fmt.Errorf("c.%s: only profile = \"kafka-go\" has it; use c.poll", call)
	case p.Library != "franz-go" && call == "allow_rebalance":
		return fmt.Errorf("c.allow_rebalance: only profile = \"franz-go\" has it")
	}
	return nil
}

func allowRebalance(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("allow_rebalance", args, kw); err != nil {
		return nil, err
	}
	s.app.consumer.AllowRebalance()
	return starlark.None, nil
}
