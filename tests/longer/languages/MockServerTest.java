// A small client and its test, each in a sandbox: MOCK_SERVER_URL=http://127.0.0.1:8000
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MockServerTest {
  static final String URL = System.getenv().getOrDefault("MOCK_SERVER_URL", "http://127.0.0.1:8000");
  static final HttpClient HTTP = HttpClient.newHttpClient();
  final String name = "java-" + UUID.randomUUID(), sandbox = "/__admin/sandboxes/" + name;
  String key = "";

  HttpResponse<String> send(String method, String path, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(URL + path))
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + key)
        .method(method, HttpRequest.BodyPublishers.ofString(body));
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  // The client under test.
  int pin(boolean top) throws Exception {
    var body = "{\"appId\": \"65d8a1f0c3b2a94e7f106a01\", \"chatId\": \"refund-4711\", \"top\": " + top + "}";
    return send("PUT", "/api/core/chat/history/updateHistory", body).statusCode();
  }

  @BeforeEach
  void createSandbox() throws Exception {
    var created = send("POST", "/__admin/sandboxes", "{\"ttl\": 60, \"name\": \"" + name + "\"}");
    key = created.body().replaceAll(".*\"key\":\"([^\"]+)\".*", "$1");
  }

  @AfterEach
  void deleteSandbox() throws Exception {
    send("DELETE", sandbox, "");
  }

  @Test
  void aPinFailsOnceThenWorks() throws Exception {
    send("POST", sandbox + "/rules", "{\"kind\": \"error\", \"operation\": \"updateHistory\", \"status\": 503}");
    assertEquals(503, pin(false));
    assertEquals(200, pin(false));
    var sent = "{\"operation\": \"updateHistory\", \"body\": {\"top\": false}, \"exactly\": 2}";
    var verified = send("POST", sandbox + "/journal/verify", sent);
    assertEquals(200, verified.statusCode(), verified.body());
  }
}
