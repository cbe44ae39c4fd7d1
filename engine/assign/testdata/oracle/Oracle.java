import java.nio.ByteBuffer;
import java.util.*;
import java.util.stream.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.*;
import org.apache.kafka.common.*;
import org.apache.kafka.coordinator.group.api.assignor.*;
import org.apache.kafka.coordinator.group.assignor.*;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/**
 * Asks the assignors of Apache Kafka. It plays groups that change from round to round (members join
 * and leave, miss a round, change their subscription; topics grow) and prints what every assignor
 * was given and what it answered. README.md says how to run it.
 */
public class Oracle {
    static final Random random = new Random(43);

    static int ids = 0;

    static int below(int n) { return random.nextInt(n); }

    static boolean oneIn(int n) { return below(n) == 0; }

    /** The first runs of each assignor are recorded, and those that alone catch some mistake. */
    static final int RUNS = 900, FIRST = 16;
    static final Set<String> CHOSEN = Set.of(
        "client sticky 44", // with racks, those that may get one more are all served before the deal
        "client cooperative-sticky 29", "client cooperative-sticky 273", // a way back is taken instead
        "client cooperative-sticky 377", "client cooperative-sticky 407", // back to an earlier owner
        "server uniform 117", "server uniform 149"); // the largest have nothing to give

    static StringBuilder out;

    static void print(String line) { out.append(line).append('\n'); }

    public static void main(String[] args) {
        boolean all = args.length > 0 && args[0].equals("all");
        for (String name : List.of("range", "roundrobin", "sticky", "cooperative-sticky")) {
            for (int i = 0; i < RUNS; i++) play(all, i, "client " + name, new ClientGroup(name, i)::play);
        }
        for (String name : List.of("uniform", "range")) {
            for (int i = 0; i < RUNS; i++) play(all, i, "server " + name, new ServerGroup(name, i)::play);
        }
    }

    static void play(boolean all, int i, String what, Runnable group) {
        out = new StringBuilder();
        group.run();
        if (all || i < FIRST || CHOSEN.contains(what + " " + i)) {
            System.out.print("# " + what + " " + i + "\n" + out);
        }
    }

    static String text(Collection<String> items) { return items.isEmpty() ? "-" : String.join(",", items); }

    static String hex(ByteBuffer b) {
        if (b == null) return "-";
        StringBuilder s = new StringBuilder("x");
        for (int i = b.position(); i < b.limit(); i++) s.append(String.format("%02x", b.get(i)));
        return s.toString();
    }

    static String uuid() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    static ConsumerPartitionAssignor assignor(String name) {
        switch (name) {
            case "range": return new org.apache.kafka.clients.consumer.RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            default: return new CooperativeStickyAssignor();
        }
    }

    /** A group of the classic protocol. */
    static class ClientGroup {
        final String name;
        final boolean equal, racks, large;
        final int style;
        final List<Client> clients = new ArrayList<>();
        final TreeMap<String, Integer> topics = new TreeMap<>();
        final Map<String, List<Set<String>>> replicas = new HashMap<>();
        int generation = 0;

        ClientGroup(String name, int i) {
            this.name = name;
            equal = i % 2 == 0;
            racks = i % 3 == 2;
            large = i % 8 == 7 || i % 8 == 4;
            style = i % 4;
        }

        void play() {
            int n = 1 + below(5);
            for (int t = 0; t < n; t++) grow("topic-" + (char) ('a' + below(26)) + t, 1 + below(large ? 20 : 7));
            for (int i = large ? 14 + below(12) : 1 + below(4); i > 0; i--) clients.add(new Client(this));
            int rounds = large ? 3 : 6;
            for (int round = 0; round < rounds; round++) {
                change();
                round();
            }
        }

        void grow(String topic, int by) {
            topics.merge(topic, by, Integer::sum);
            List<Set<String>> list = replicas.computeIfAbsent(topic, t -> new ArrayList<>());
            while (list.size() < topics.get(topic)) {
                Set<String> set = new TreeSet<>();
                for (int i = 0; i <= below(2); i++) set.add("" + (char) ('a' + below(3)));
                list.add(set);
            }
        }

        void change() {
            switch (below(6)) {
                case 0: clients.add(new Client(this)); break;
                case 1: if (clients.size() > 1) clients.remove(below(clients.size())); break;
                case 2: clients.add(new Client(this)); clients.add(new Client(this)); break;
                case 3: grow(topics.firstKey(), 1 + below(3)); break;
                case 4: if (!equal) clients.get(below(clients.size())).subscribe(); break;
                default:
            }
        }

        void round() {
            generation++;
            List<Node> nodes = new ArrayList<>();
            Map<String, Node> byRack = new HashMap<>();
            for (String rack : List.of("a", "b", "c")) {
                byRack.put(rack, new Node(nodes.size(), "h", 1, racks ? rack : null));
                nodes.add(byRack.get(rack));
            }
            List<PartitionInfo> infos = new ArrayList<>();
            print("client " + name);
            topics.forEach((topic, n) -> {
                List<String> where = new ArrayList<>();
                for (int p = 0; p < n; p++) {
                    Set<String> set = replicas.get(topic).get(p);
                    Node[] at = set.stream().map(byRack::get).toArray(Node[]::new);
                    infos.add(new PartitionInfo(topic, p, at[0], at, at));
                    where.add(String.join(";", set));
                }
                print("topic " + topic + " " + n + " " + (racks ? text(where) : "-"));
            });
            Map<String, Subscription> subscriptions = new HashMap<>();
            for (Client c : clients) subscriptions.put(c.id, c.join());
            Cluster cluster = new Cluster("c", nodes, infos, Set.of(), Set.of());
            Map<String, Assignment> answer =
                assignor(name).assign(cluster, new GroupSubscription(subscriptions)).groupAssignment();
            for (Client c : clients) c.sync(answer.get(c.id));
        }
    }

    /** A member of it. */
    static class Client {
        final ClientGroup group;
        final String id, instance, rack;
        final ConsumerPartitionAssignor assignor;
        List<String> topics;
        List<TopicPartition> owned = List.of();
        int generation = -1;

        Client(ClientGroup group) {
            this.group = group;
            assignor = assignor(group.name);
            instance = oneIn(4) ? "i" + below(1000) + "-" + ids++ : null;
            rack = group.racks && !oneIn(5) ? "" + (char) ('a' + below(4)) : null;
            id = (group.style == 0 ? "m" + below(1000) + (char) ('a' + ids++ % 26) + ids : "c-" + below(3) + "-" + uuid());
            subscribe();
        }

        void subscribe() {
            List<String> all = new ArrayList<>(group.topics.keySet());
            if (!group.equal) {
                all.removeIf(t -> oneIn(3));
                if (oneIn(6)) all.add("ghost");
                if (all.isEmpty()) all.add(group.topics.lastKey());
            }
            topics = all;
        }

        Subscription join() {
            boolean cooperative = group.name.equals("cooperative-sticky");
            if (oneIn(12)) { // a heartbeat has told it that it is no member any more
                owned = List.of();
                generation = -1;
            }
            List<TopicPartition> claimed = new ArrayList<>();
            if (cooperative) for (TopicPartition p : owned) if (topics.contains(p.topic())) claimed.add(p);
            ByteBuffer data = assignor.subscriptionUserData(new HashSet<>(topics));
            int told = generation;
            if (oneIn(10)) told = -1; // a client older than version 2 of the subscription
            Subscription s = new Subscription(topics, data, claimed, told, Optional.ofNullable(rack));
            s.setGroupInstanceId(Optional.ofNullable(instance));
            print("member " + id + " " + (instance == null ? "-" : instance) + " "
                + (rack == null ? "-" : rack) + " " + text(topics) + " " + told + " " + names(claimed)
                + " " + hex(data));
            return s;
        }

        void sync(Assignment a) {
            print("gives " + id + " " + names(a.partitions()));
            if (oneIn(9)) return; // the answer is lost: the next join tells of the generation before
            owned = a.partitions();
            generation = group.generation;
            assignor.onAssignment(a, new ConsumerGroupMetadata("g", generation, id, Optional.empty()));
        }

        static String names(List<TopicPartition> list) {
            return text(list.stream()
                .sorted(Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition))
                .map(TopicPartition::toString).collect(Collectors.toList()));
        }
    }

    /** A group of the consumer protocol. */
    static class ServerGroup {
        final String name;
        final boolean equal, large;
        final Map<Uuid, Integer> topics = new LinkedHashMap<>();
        final List<String> members = new ArrayList<>();
        final Map<String, Set<Uuid>> wants = new HashMap<>();
        final Map<String, String> instances = new HashMap<>();
        final Map<String, Map<Uuid, Set<Integer>>> target = new HashMap<>();

        ServerGroup(String name, int i) {
            this.name = name;
            equal = i % 2 == 0;
            large = i % 8 >= 6;
        }

        void play() {
            for (int t = 1 + below(5); t > 0; t--) {
                topics.put(new Uuid(random.nextLong(), random.nextLong()), 1 + below(large ? 40 : 7));
            }
            for (int i = large ? 12 + below(12) : 1 + below(4); i > 0; i--) join();
            for (int round = 0; round < (large ? 3 : 6); round++) {
                change();
                round();
            }
        }

        void join() {
            String id = oneIn(2) ? uuid() : "m" + below(1000) + (char) ('a' + ids++ % 26) + ids;
            members.add(id);
            if (oneIn(4)) instances.put(id, "i" + below(1000) + "-" + ids++);
            subscribe(id);
        }

        void subscribe(String id) {
            Set<Uuid> all = new LinkedHashSet<>(topics.keySet());
            if (!equal) {
                all.removeIf(t -> oneIn(3));
                if (all.isEmpty()) all.add(topics.keySet().iterator().next());
            }
            wants.put(id, all);
        }

        void change() {
            switch (below(6)) {
                case 0: case 1: join(); break;
                case 2:
                    if (members.size() > 1) target.remove(members.remove(below(members.size())));
                    break;
                case 3: topics.merge(topics.keySet().iterator().next(), 1 + below(3), Integer::sum); break;
                case 4: if (!equal) subscribe(members.get(below(members.size()))); break;
                default: join(); join();
            }
        }

        void round() {
            SubscriptionType type = members.stream().map(wants::get).distinct().count() == 1
                ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
            print("server " + name + " " + type.toString().toLowerCase());
            topics.forEach((id, n) -> print("topic " + hexId(id) + " " + n));
            Map<String, MemberSubscriptionAndAssignmentImpl> spec = new HashMap<>();
            Map<Uuid, Map<Integer, String>> inverted = new HashMap<>();
            for (String m : members) {
                Map<Uuid, Set<Integer>> had = target.getOrDefault(m, Map.of());
                had.forEach((id, set) -> set.forEach(p ->
                    inverted.computeIfAbsent(id, i -> new HashMap<>()).put(p, m)));
                spec.put(m, new MemberSubscriptionAndAssignmentImpl(Optional.empty(),
                    Optional.ofNullable(instances.get(m)), wants.get(m), new org.apache.kafka.coordinator.group.modern.Assignment(had)));
                print("member " + m + " " + instances.getOrDefault(m, "-") + " "
                    + text(wants.get(m).stream().map(Oracle::hexId).collect(Collectors.toList())) + " " + walk(had));
            }
            PartitionAssignor a = name.equals("uniform") ? new UniformAssignor()
                : new org.apache.kafka.coordinator.group.assignor.RangeAssignor();
            Map<String, MemberAssignment> answer = a.assign(
                new GroupSpecImpl(Collections.unmodifiableMap(spec), type, inverted), new Describer()).members();
            for (String m : members) {
                // As a record of the offsets topic gives it back.
                Map<Uuid, Set<Integer>> got = answer.get(m) == null ? Map.of() : answer.get(m).partitions();
                target.put(m, got.entrySet().stream().collect(Collectors.toMap(
                    Map.Entry::getKey, e -> new HashSet<>(new ArrayList<>(e.getValue())))));
                print("gives " + m + " " + names(got));
            }
        }

        class Describer implements SubscribedTopicDescriber {
            public int numPartitions(Uuid id) { return topics.getOrDefault(id, -1); }

            public Set<String> racksForPartition(Uuid id, int p) { return Set.of(); }

            public Set<Integer> assignablePartitions(Uuid id) {
                return IntStream.range(0, topics.get(id)).boxed().collect(Collectors.toSet());
            }
        }

        /** In the order in which the maps are walked. */
        static String walk(Map<Uuid, Set<Integer>> assignment) {
            List<String> list = new ArrayList<>();
            assignment.forEach((id, set) -> set.forEach(p -> list.add(hexId(id) + "-" + p)));
            return text(list);
        }

        String names(Map<Uuid, Set<Integer>> assignment) {
            List<String> list = new ArrayList<>();
            for (Uuid id : topics.keySet()) {
                for (int p : new TreeSet<>(assignment.getOrDefault(id, Set.of()))) list.add(hexId(id) + "-" + p);
            }
            return text(list);
        }
    }

    static String hexId(Uuid id) {
        return String.format("%016x%016x", id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
