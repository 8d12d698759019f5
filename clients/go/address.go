package belfry

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Server is a server and its share of the clients, relative to the weights of the other servers.
type Server struct {
	URL    string // ws://host:port or wss://host:port; http and https are equivalent, default ports 8800 and 443
	Weight int    // 0 means 1
}

// serverAddress is the parsed address of one server. Immutable.
type serverAddress struct {
	encrypted bool
	host      string // with the port, as in the field Host
	path      string // without a slash at its end
	weight    int
}

func parseServer(server Server) (serverAddress, error) {
	invalid := fmt.Errorf("belfry: a server must be ws://host:port or wss://host:port, not %q", server.URL)
	parsed, err := url.Parse(server.URL)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil {
		return serverAddress{}, invalid
	}
	address := serverAddress{path: strings.TrimRight(parsed.EscapedPath(), "/"), weight: server.Weight}
	port := "8800"
	switch parsed.Scheme {
	case "ws", "http":
	case "wss", "https":
		address.encrypted = true
		port = "443"
	default:
		return serverAddress{}, invalid
	}
	if parsed.Port() != "" {
		port = parsed.Port()
	}
	if address.weight == 0 {
		address.weight = 1
	}
	if address.weight < 0 {
		return serverAddress{}, fmt.Errorf("belfry: a server's weight must be 1 or more, not %d", server.Weight)
	}
	address.host = net.JoinHostPort(parsed.Hostname(), port)
	return address, nil
}

func (a serverAddress) String() string {
	if a.encrypted {
		return "wss://" + a.host + a.path
	}
	return "ws://" + a.host + a.path
}

// url returns the address of a resource with percent-encoded parameters, in the order given.
func (a serverAddress) url(resource string, parameters ...parameter) string {
	var text strings.Builder
	text.WriteString("http")
	if a.encrypted {
		text.WriteString("s")
	}
	text.WriteString("://" + a.host + a.path + resource)
	separator := "?"
	for _, each := range parameters {
		// QueryEscape writes a space as a plus sign.
		text.WriteString(separator + each.name + "=" + strings.ReplaceAll(url.QueryEscape(each.value), "+", "%20"))
		separator = "&"
	}
	return text.String()
}

// parameter is one parameter of a query.
type parameter struct{ name, value string }
