// Steers a sandbox by the client that is generated into the folder admin.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.com/admin"
)

func main() {
	config := admin.NewConfiguration()
	config.Servers = admin.ServerConfigurations{{URL: os.Getenv("MOCK_SERVER_URL")}}
	api := admin.NewAPIClient(config).DefaultAPI
	ctx := context.Background()

	made, _, err := api.PostSandboxes(ctx).NewSandbox(*admin.NewNewSandbox()).Execute()
	if err != nil {
		log.Fatal(err)
	}
	failure := admin.NewError("error")
	failure.SetStatus(502)
	fault, _, err := api.PostSandboxesSandboxFaults(ctx, made.Name).
		PostFaultsRequest(admin.PostFaultsRequest{Error: failure}).Execute()
	if err != nil {
		log.Fatal(err)
	}
	reset, _, err := api.PostSandboxesSandboxReset(ctx, made.Name).
		Body(map[string]any{}).Execute()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("fault %s fired %d times, generation %d\n",
		fault.FaultView.Id, fault.FaultView.Fired, reset.Generation)
}
