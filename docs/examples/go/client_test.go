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

func TestShowsWhatTheTestScripts(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.admin("POST", "/faults", `{"kind": "answer", "operation": "listV2", "data": {"total": 7}}`, nil)
	s.admin("POST", "/faults", `{"kind": "reply", "text": "It is raining."}`, nil)
	if total, err := s.Total(handbook); err != nil || total != 7 {
		t.Fatalf("got %d, %v", total, err)
	}
	if said, err := s.Ask("How is the weather?"); err != nil || said != "It is raining." {
		t.Fatalf("got %q, %v", said, err)
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
