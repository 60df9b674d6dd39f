// Calls a server as Go programs do: `go run client.go URL`.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

func call(method, path, body string) {
	request, _ := http.NewRequest(method, os.Args[1]+path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer k")
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 200 || !strings.HasPrefix(string(text), `{"code":200,`) {
		panic(string(text))
	}
}

func both() {
	call("PUT", "/api/core/chat/history/updateHistory",
		`{"appId":"65d8a1f0c3b2a94e7f106a01","chatId":"invoice-copy","top":true}`)
	call("POST", "/api/core/dataset/collection/listV2",
		`{"offset":0,"datasetId":"6593e137231a2be9c5603ba7"}`)
}

func main() {
	for n := 0; n < 100; n++ {
		both()
	}
	var group sync.WaitGroup
	for worker := 0; worker < 16; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := 0; n < 4; n++ {
				both()
			}
		}()
	}
	group.Wait()
	time.Sleep(6 * time.Second)
	both()
	fmt.Println("ok")
}
