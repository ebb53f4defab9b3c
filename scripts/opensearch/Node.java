import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.codelibs.opensearch.runner.node.OpenSearchRunnerNode;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.plugins.Plugin;

/** One OpenSearch node in this process, with the settings of the arguments (name=value). Its modules have other names before OpenSearch 3. */
public class Node {
  private static final List<String> MODULES =
      List.of(
          "org.opensearch.analysis.common.CommonAnalysis",
          "org.opensearch.painless.Painless",
          "org.opensearch.transport.Netty4");

  public static void main(String[] arguments) throws Exception {
    var settings = Settings.builder();
    for (String argument : arguments) {
      String[] pair = argument.split("=", 2);
      settings.put(pair[0], pair[1]);
    }
    Path home = Path.of(settings.get("path.home"));
    var modules = new ArrayList<Class<? extends Plugin>>();
    for (String name : MODULES) modules.add(module(name).asSubclass(Plugin.class));
    new OpenSearchRunnerNode(new Environment(settings.build(), home.resolve("config")), modules).start();
    Thread.currentThread().join();
  }

  private static Class<?> module(String name) throws ClassNotFoundException {
    try {
      return Class.forName(name + "ModulePlugin");
    } catch (ClassNotFoundException before) {
      return Class.forName(name + "Plugin");
    }
  }
}
