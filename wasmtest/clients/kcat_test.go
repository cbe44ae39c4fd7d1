package clients

import (
	"bufio"

	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/build/testenv"
)

func kcat(l *lab, args ...string) *exec.Cmd {
	return exec.Command(testenv.Path(l.t, testenv.Kcat),
		append([]string{"-b", strings.Join(l.addrs, ",")}, args...)...)
}

func kcatProduce(l *lab, topic, codec string, values []string) {
	cmd := kcat(l, "-P", "-t", topic, "-X", "enable.idempotence=true",
		"-X", "compression.codec="+codec, "-X", "sticky.partitioning.linger.ms=0")
	cmd.Stdin = strings.NewReader(strings.Join(values, "\n"))
	out, err := cmd.CombinedOutput()
	require.NoError(l.t, err, "%s", out)
}

// kcatMember is a kcat process.
type kcatMember struct {
	cmd  *exec.Cmd
	done chan struct{}
	once sync.Once
}

func kcatJoin(strategy string) func(*lab, membership) member {
	return func(l *lab, m membership) member {
		ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
		cmd := kcat(l, "-u", "-X", "client.id="+m.name, "-X", "auto.offset.reset=earliest",
			"-X", "partition.assignment.strategy="+strategy,
			"-X", "session.timeout.ms="+ms(sessionTimeout),
			"-X", "heartbeat.interval.ms="+ms(heartbeat),
			"-X", "auto.commit.interval.ms=50", "-X", "fetch.wait.max.ms=100",
			"-G", m.group, m.topic)
		out, err := cmd.StdoutPipe()
		require.NoError(l.t, err)
		require.NoError(l.t, cmd.Start())
		k := &kcatMember{cmd: cmd, done: make(chan struct{})}
		go func() {
			defer close(k.done)
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				m.got(lines.Text())
			}
		}()
		l.t.Cleanup(k.kill)
		return k
	}
}

func (k *kcatMember) leave() { k.end(syscall.SIGTERM) }
func (k *kcatMember) kill()  { k.end(syscall.SIGKILL) }

func (k *kcatMember) end(by syscall.Signal) {
	k.once.Do(func() {
		k.cmd.Process.Signal(by)
		<-k.done
		k.cmd.Wait()
	})
}
