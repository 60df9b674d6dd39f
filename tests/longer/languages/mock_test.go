// A small client and its tests, each in a sandbox: MOCK_SERVER_URL=http://127.0.0.1:8000 go test
package mock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
)

const app, chat, dataset = "65d8a1f0c3b2a94e7f106a01", "refund-4711", "6593e137231a2be9c5603ba7"

type object map[string]any

// send decodes the response into answer; a status of 400 or more is an error.
func send(method, path, key string, body, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, os.Getenv("MOCK_SERVER_URL")+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s %s: status %d", method, path, response.StatusCode)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// The client under test. A key leads to its sandbox.

func pin(key string, top bool) error {
	body := object{"appId": app, "chatId": chat, "top": top}
	return send("PUT", "/api/core/chat/history/updateHistory", key, body, &object{})
}

func list(key, search string) (total int, err error) {
	body := object{"offset": 0, "pageSize": 30, "datasetId": dataset, "parentId": nil, "searchText": search}
	var answer struct{ Data struct{ Total int } }
	err = send("POST", "/api/core/dataset/collection/listV2", key, body, &answer)
	return answer.Data.Total, err
}

type sandbox struct {
	t         *testing.T
	Name, Key string
}

// newSandbox returns a sandbox that lasts as long as the test.
func newSandbox(t *testing.T) sandbox {
	box := sandbox{t: t}
	if err := send("POST", "/__admin/sandboxes", "", object{"ttl": 60}, &box); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.admin("DELETE", "", nil) })
	return box
}

// admin returns the answer of the admin API; an error ends the test.
func (box sandbox) admin(method, path string, body any) (answer object) {
	box.t.Helper()
	if err := send(method, "/__admin/sandboxes/"+box.Name+path, "", body, &answer); err != nil {
		box.t.Fatal(err)
	}
	return answer
}

func TestAListIsSearched(t *testing.T) {
	t.Parallel()
	box := newSandbox(t)
	all, err := list(box.Key, "")
	found, err2 := list(box.Key, "release")
	if err != nil || err2 != nil || found == 0 || found >= all {
		t.Fatal(all, found, err, err2)
	}
}

func TestAPinFailsOnceThenWorks(t *testing.T) {
	t.Parallel()
	box := newSandbox(t)
	box.admin("POST", "/rules", object{"kind": "error", "operation": "updateHistory", "status": 503})
	if err := pin(box.Key, false); err == nil {
		t.Fatal("Expected an error, got none")
	}
	if err := pin(box.Key, false); err != nil {
		t.Fatal(err)
	}
	if box.admin("GET", "/apps/"+app+"/chats/"+chat, nil)["top"] != false {
		t.Fatal("Expected the chat to be unpinned")
	}
	sent := object{"operation": "updateHistory", "body": object{"top": false}, "exactly": 2}
	box.admin("POST", "/journal/verify", sent)
}
