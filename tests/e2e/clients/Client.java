// Calls a server as Java programs do, with the defaults of java.net.http, which offers
// an upgrade to HTTP/2 on every call: `java Client.java URL`.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

public class Client {
    static final HttpClient CLIENT = HttpClient.newHttpClient();
    static String url;

    static void call(String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url + path))
            .header("Authorization", "Bearer k")
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body)).build();
        var answer = CLIENT.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200 || !answer.body().startsWith("{\"code\":200,"))
            throw new Exception(answer.statusCode() + " " + answer.body());
    }

    static void both() throws Exception {
        call("PUT", "/api/core/chat/history/updateHistory",
            "{\"appId\":\"65d8a1f0c3b2a94e7f106a01\",\"chatId\":\"invoice-copy\",\"top\":true}");
        call("POST", "/api/core/dataset/collection/listV2",
            "{\"offset\":0,\"datasetId\":\"6593e137231a2be9c5603ba7\"}");
    }

    public static void main(String[] args) throws Exception {
        url = args[0];
        for (int n = 0; n < 100; n++) both();
        var pool = Executors.newFixedThreadPool(16);
        var tasks = new ArrayList<Callable<Void>>();
        for (int n = 0; n < 50; n++) tasks.add(() -> { both(); return null; });
        for (var done : pool.invokeAll(tasks)) done.get();
        pool.shutdown();
        Thread.sleep(6000);
        both();
        System.out.println("ok");
        System.exit(0);
    }
}
