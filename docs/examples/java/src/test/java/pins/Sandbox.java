package pins;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** A test's own data, faults and journal on a running mock server. */
public final class Sandbox {
  /** That of MOCK_SERVER_URL; without, one that is started for all tests. */
  public static final URI SERVER = server();

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  public final String key;
  private final String name;

  public Sandbox() throws IOException, InterruptedException {
    var made = call("POST", "/sandboxes", "{\"ttl\": 60}");
    key = text(made, "key");
    name = text(made, "name");
  }

  /** Calls a route of the sandbox; throws, with the answer, for what is not as wanted. */
  public String admin(String method, String path, String body)
      throws IOException, InterruptedException {
    return call(method, "/sandboxes/" + name + path, body);
  }

  public void close() throws IOException, InterruptedException {
    admin("DELETE", "", "");
  }

  private static String call(String method, String path, String body)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(SERVER.resolve("/__admin" + path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    var answer = HTTP.send(request, BodyHandlers.ofString());
    if (answer.statusCode() >= 400) {
      throw new AssertionError(method + " " + path + ": " + answer.body());
    }
    return answer.body();
  }

  // Two fields are no reason for a JSON library; use the one that you have.
  private static String text(String json, String field) {
    var found = Pattern.compile("\"" + field + "\":\"([^\"]+)\"").matcher(json);
    if (!found.find()) {
      throw new AssertionError("no " + field + " in " + json);
    }
    return found.group(1);
  }

  private static URI server() {
    var running = System.getenv("MOCK_SERVER_URL");
    if (running != null) {
      return URI.create(running);
    }
    var command = new ProcessBuilder("mock-server", "serve", "--port", "0");
    command.redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      var process = command.start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
      // "READY http://127.0.0.1:PORT", once it can be called.
      var line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
      if (line == null) {
        throw new AssertionError("mock-server ended before it was ready");
      }
      return URI.create(line.split(" ")[1]);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
