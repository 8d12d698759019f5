"""Ten open consoles: each reads the stream and asks for the subjects every five seconds. Arguments: port, password, seconds."""
import base64, http.client, json, sys, threading, time
port, password, seconds = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
auth = {"Authorization": "Basic " + base64.b64encode(b"admin:" + password.encode()).decode()}
end = time.monotonic() + seconds
seen = [0] * 10
def stream(i):
    after = 0
    while time.monotonic() < end:
        c = http.client.HTTPConnection("127.0.0.1", port)
        c.request("GET", f"/console/api/stream?after={after}", headers=auth)
        r = c.getresponse()
        for line in r:
            row = json.loads(line)
            if row["type"] == "second":
                after = row["seq"]; seen[i] += 1
            if time.monotonic() > end: break
        c.close()
def subjects():
    c = http.client.HTTPConnection("127.0.0.1", port)
    while time.monotonic() < end:
        c.request("GET", "/console/api/subjects?under=", headers=auth); c.getresponse().read()
        time.sleep(5)
ts = [threading.Thread(target=stream, args=(i,)) for i in range(10)] + [threading.Thread(target=subjects) for _ in range(10)]
[t.start() for t in ts]; [t.join() for t in ts]
print("seconds received by each:", seen)
