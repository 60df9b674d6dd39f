package pins

import "testing"

const (
	app      = "65d8a1f0c3b2a94e7f106a01"
	handbook = "6593e137231a2be9c5603ba7"
)

func TestListsWhatTheFixtureHolds(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	total, err := s.Total(handbook)
	if err != nil || total == 0 {
		t.Fatalf("got %d, %v", total, err)
	}
	s.admin("POST", "/journal/verify", `{"operation": "listV2", "exactly": 1}`, nil)
}

func TestTriesAPinAgain(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.admin("POST", "/faults", `{"kind": "reset", "operation": "updateHistory"}`, nil)
	if err := s.Pin(app, "invoice-copy"); err != nil {
		t.Fatal(err)
	}
	s.admin("POST", "/journal/verify", `{"operation": "updateHistory", "exactly": 2}`, nil)
}

func TestGivesUpAfterTheSecondFailure(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.admin("POST", "/faults", `{"kind": "error", "status": 502, "times": 2}`, nil)
	if err := s.Pin(app, "invoice-copy"); err == nil {
		t.Fatal("expected an error")
	}
}

func TestAResetBringsTheDataBack(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	if err := s.Pin(app, "invoice-copy"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		var chat struct{ Top bool }
		s.admin("GET", "/apps/"+app+"/chats/invoice-copy", "", &chat)
		if chat.Top != want {
			t.Fatalf("top: got %v, expected %v", chat.Top, want)
		}
		s.admin("POST", "/reset", "{}", nil)
	}
}
