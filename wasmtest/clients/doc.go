// Package clients tests the brokers of engine/tcp with clients that were written for Kafka: franz-go,
// kafka-go, sarama and, through kcat, librdkafka. None of them is changed or knows of this project.
//
// It is a module of its own, so that nothing else depends on those clients.
package clients
