package belfry

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The programs and fragments of the documents are compiled as files of this module.
func TestCodeOfTheDocumentsIsCompiled(t *testing.T) {
	sources := map[string]string{"example_test.go": ""}
	programs, err := filepath.Glob("examples/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		sources[program] = ""
	}
	for name := range sources {
		sources[name] = readText(t, name)
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	found := 0
	for _, page := range []string{"../../docs/clients/go.md", "README.md"} {
		for _, code := range block.FindAllStringSubmatch(readText(t, page), -1) {
			found++
			if !anyContains(sources, code[1]) {
				t.Errorf("%s has code that no file of clients/go has:\n%s", page, code[1])
			}
		}
	}
	if found < len(programs) {
		t.Errorf("the documents have %d pieces of code for %d programs", found, len(programs))
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func anyContains(sources map[string]string, code string) bool {
	words := strings.Join(strings.Fields(code), " ")
	for _, source := range sources {
		if strings.Contains(strings.Join(strings.Fields(source), " "), words) {
			return true
		}
	}
	return false
}
