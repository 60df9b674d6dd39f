package pins;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** What is tested: a client of the service, which tries a pin again. */
public record Pins(URI service, String key) {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Pins a chat. Tries again once where the service fails. */
  public void pin(String appId, String chatId) throws IOException, InterruptedException {
    var body = "{\"appId\": \"%s\", \"chatId\": \"%s\", \"top\": true}".formatted(appId, chatId);
    var path = "/api/core/chat/history/updateHistory";
    var answer = send("PUT", path, body);
    if (answer.statusCode() >= 500) {
      answer = send("PUT", path, body);
    }
    if (answer.statusCode() != 200) {
      throw new IOException("%s: %d".formatted(path, answer.statusCode()));
    }
  }

  /** What the service answers to a question, as JSON. */
  public String ask(String question) throws IOException, InterruptedException {
    var body = "{\"messages\": [{\"role\": \"user\", \"content\": \"%s\"}]}".formatted(question);
    return send("POST", "/api/v1/chat/completions", body).body();
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(service.resolve(path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    return HTTP.send(request, BodyHandlers.ofString());
  }
}
