package pins

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var mockURL string

// TestMain starts a server for all tests, unless MOCK_SERVER_URL names one that runs.
func TestMain(m *testing.M) {
	mockURL = os.Getenv("MOCK_SERVER_URL")
	if mockURL != "" {
		os.Exit(m.Run())
	}
	server := exec.Command("mock-server", "serve", "--port", "0")
	server.Stderr = os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	// "READY http://127.0.0.1:PORT", once it can be called.
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		log.Fatalf("mock-server ended: %v", err)
	}
	mockURL = strings.TrimSpace(strings.TrimPrefix(line, "READY "))
	status := m.Run()
	_ = server.Process.Kill()
	_ = server.Wait()
	os.Exit(status)
}

// sandbox is a test's own data, faults and journal.
type sandbox struct {
	Service
	t    *testing.T
	name string
}

func newSandbox(t *testing.T) sandbox {
	t.Helper()
	var made struct{ Name, Key string }
	admin(t, "POST", "/sandboxes", `{"ttl": 60}`, &made)
	s := sandbox{Service{URL: mockURL, Key: made.Key}, t, made.Name}
	t.Cleanup(func() { s.admin("DELETE", "", "", nil) })
	return s
}

// admin calls a route of the sandbox. What is not as wanted is 409, and fails the test.
func (s sandbox) admin(method, path, body string, into any) {
	s.t.Helper()
	admin(s.t, method, "/sandboxes/"+s.name+path, body, into)
}

func admin(t *testing.T, method, path, body string, into any) {
	t.Helper()
	url := mockURL + "/__admin" + path
	request, err := http.NewRequest(method, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 400 {
		t.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}
