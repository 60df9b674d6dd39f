package pins;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PinsTest {
  private static final String APP = "65d8a1f0c3b2a94e7f106a01";
  private Sandbox sandbox;
  private Pins pins;

  @BeforeEach
  void open() throws Exception {
    sandbox = new Sandbox();
    pins = new Pins(Sandbox.SERVER, sandbox.key);
  }

  @AfterEach
  void close() throws Exception {
    sandbox.close();
  }

  @Test
  void triesAPinAgain() throws Exception {
    sandbox.admin("POST", "/faults", "{\"kind\": \"error\", \"status\": 503}");
    pins.pin(APP, "invoice-copy");
    sandbox.admin(
        "POST", "/journal/verify", "{\"inOrder\": [{\"status\": 503}, {\"status\": 200}]}");
  }

  @Test
  void givesUpAfterTheSecondFailure() throws Exception {
    sandbox.admin("POST", "/faults", "{\"kind\": \"error\", \"times\": 2}");
    assertThrows(IOException.class, () -> pins.pin(APP, "invoice-copy"));
    sandbox.admin(
        "POST", "/journal/verify", "{\"operation\": \"updateHistory\", \"exactly\": 2}");
  }

  @Test
  void showsWhatTheTestScripts() throws Exception {
    sandbox.admin(
        "POST",
        "/faults",
        "{\"kind\": \"answer\", \"operation\": \"updateHistory\", \"status\": 403}");
    sandbox.admin("POST", "/faults", "{\"kind\": \"reply\", \"text\": \"It is raining.\"}");
    assertThrows(IOException.class, () -> pins.pin(APP, "invoice-copy"));
    assertTrue(pins.ask("How is the weather?").contains("It is raining."));
  }

  @Test
  void aResetBringsTheDataBack() throws Exception {
    pins.pin(APP, "invoice-copy");
    assertTrue(chat().contains("\"top\":true"));
    sandbox.admin("POST", "/reset", "{}");
    assertTrue(chat().contains("\"top\":false"));
  }

  private String chat() throws Exception {
    return sandbox.admin("GET", "/apps/" + APP + "/chats/invoice-copy", "");
  }
}
