// Package pins has what is tested: a client of the service, which tries a pin again.
package pins

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Service is where the service is, and whom it serves.
type Service struct {
	URL, Key string
}

// Pin pins a chat. It tries again once after a failure.
func (s Service) Pin(appID, chatID string) error {
	body := map[string]any{"appId": appID, "chatId": chatID, "top": true}
	err := s.send("PUT", "/api/core/chat/history/updateHistory", body, nil)
	if err != nil {
		err = s.send("PUT", "/api/core/chat/history/updateHistory", body, nil)
	}
	return err
}

// Total is the number of collections in a dataset.
func (s Service) Total(datasetID string) (int, error) {
	var page struct {
		Data struct{ Total int }
	}
	body := map[string]any{"datasetId": datasetID, "offset": 0, "pageSize": 10}
	err := s.send("POST", "/api/core/dataset/collection/listV2", body, &page)
	return page.Data.Total, err
}

// Ask is what the assistant says to a question.
func (s Service) Ask(question string) (string, error) {
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	body := map[string]any{"messages": []any{map[string]any{"role": "user", "content": question}}}
	err := s.send("POST", "/api/v1/chat/completions", body, &reply)
	if err != nil || len(reply.Choices) == 0 {
		return "", err
	}
	return reply.Choices[0].Message.Content, nil
}

func (s Service) send(method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, s.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
