package script

import (
	"errors"
	"strings"

	"rebalancelab/engine/client"
)

// Config is the client's configuration that the settings give; later settings win.
func (c *ConsumerSpec) Config() (client.ConsumerConfig, error) {
	cfg := c.Profile.config()
	cfg.ClientID, cfg.GroupID = c.Profile.clientName(c.Name), c.Group
	given := map[string]bool{}
	for _, s := range c.Settings {
		given[s.Name] = true
		if err := cfg.Set(s.Key, s.Kafka()); err != nil {
			return cfg, inOurNames(err, ConsumerSettings)
		}
	}
	if err := checkProtocol(cfg.GroupProtocol, given); err != nil {
		return cfg, err
	}
	c.Profile.suffix(&cfg, given)
	for _, name := range cfg.PartitionAssignmentStrategy {
		if !contains(assignorNames, name) { // one of the scenario's, which only the application has
			cfg.Assignors = append(cfg.Assignors, &scripted{Assignor: Assignor{Name: name}})
		}
	}
	return cfg, inOurNames(cfg.Validate(), ConsumerSettings)
}

// classicOnly are settings that Java refuses beside group.protocol=consumer (C5).
var classicOnly = []string{"session_timeout", "heartbeat_interval", "partition_assignment_strategy"}

func checkProtocol(protocol string, given map[string]bool) error {
	if protocol != "consumer" {
		if given["group_remote_assignor"] {
			return errors.New("group_remote_assignor goes only with group_protocol = \"consumer\"")
		}
		return nil
	}
	for _, name := range classicOnly {
		if given[name] {
			return errors.New(name + " cannot be set with group_protocol = \"consumer\": the broker " +
				"decides it; leave it out")
		}
	}
	return nil
}

// Config is the client's configuration that the settings give; later settings win.
func (p *ProducerSpec) Config() (client.ProducerConfig, error) {
	cfg := client.DefaultProducerConfig()
	cfg.ClientID, cfg.Partitioner = p.Name, "round_robin"
	if len(p.Keys) > 0 {
		cfg.Partitioner = "key"
	}
	explicit := false
	for _, s := range p.Settings {
		explicit = explicit || s.Name == "enable_idempotence"
		if err := cfg.Set(s.Key, s.Kafka()); err != nil {
			return cfg, inOurNames(err, ProducerSettings)
		}
	}
	if !explicit && (cfg.Acks != -1 || cfg.Retries == 0 || cfg.MaxInFlight > 5) {
		cfg.EnableIdempotence = false // Java turns its default off when another setting forbids it (E33)
	}
	return cfg, inOurNames(cfg.Validate(), ProducerSettings)
}

// inOurNames writes the names of settings in an error as the scenario has them.
func inOurNames(err error, table []SettingDef) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, d := range table {
		if strings.Contains(d.Key, ".") {
			text = strings.ReplaceAll(text, d.Key, d.Name)
		}
	}
	return errors.New(text)
}
