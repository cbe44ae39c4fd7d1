package cli

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// runBroker starts lab broker and waits for its first line; wait gives its exit status.
func runBroker(t *testing.T, args ...string) (first string, wait func() int) {
	r, w := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- Main(append([]string{"broker", "--listen", "127.0.0.1:0"}, args...), w, io.Discard)
		w.Close()
	}()
	out := bufio.NewReader(r)
	first, err := out.ReadString('\n')
	require.NoError(t, err)
	go io.Copy(io.Discard, out)
	return strings.TrimSpace(first), func() int {
		select {
		case s := <-status:
			return s
		case <-time.After(10 * time.Second):
			require.Fail(t, "it does not end")
			return -1
		}
	}
}

func TestBrokerServesUntilItIsInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.txt")
	first, wait := runBroker(t, "--brokers", "2", "--topic", "t:3", "--topic", "u", "--trace", file)
	list, ok := strings.CutPrefix(first, "bootstrap.servers=")
	require.True(t, ok, first)
	addrs := strings.Split(list, ",")
	require.Len(t, addrs, 2)
	for _, a := range addrs {
		sock, err := net.Dial("tcp", a)
		require.NoError(t, err)
		require.NoError(t, sock.Close())
	}
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	require.Equal(t, exitOK, wait())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "cannot be replayed")
	require.Contains(t, string(text), "topic t")
	_, err = net.Dial("tcp", addrs[0])
	require.Error(t, err)
}

func TestBrokerExplainsWhatItCannotDo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", l.Addr().String()}, "cannot listen on " + l.Addr().String()},
		{[]string{"--topic", "t:none"}, "NAME:PARTITIONS is expected"},
		{[]string{"--topic", "t:0"}, "at least 1 partition"},
		{[]string{"--set", "x"}, "KEY=VALUE is expected"},
		{[]string{"--listen", "127.0.0.1:0", "--set", "x=1"}, `no such broker setting "x"`},
		{[]string{"--brokers", "many"}, "invalid value"},
		{[]string{"--trace", "x", "--trace-events", "0"}, "at least 1 is needed"},
		{[]string{"scenario.star"}, `not "scenario.star"`},
	} {
		var stderr bytes.Buffer
		require.Equal(t, exitBadWord, Main(append([]string{"broker"}, tt.args...), io.Discard, &stderr))
		require.Contains(t, stderr.String(), tt.want)
	}
}
