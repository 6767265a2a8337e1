// Command clientgo runs one workflow of client-go, unchanged, against the cluster of $KUBECONFIG.
//
// Usage: clientgo WORKFLOW NAMESPACE [CONTENT-TYPE]
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const timeout = 30 * time.Second

var workflows = map[string]func(*session) error{
	"informers": informers,
	"election":  election,
	"apply":     apply,
	"dynamic":   dynamicClients,
	"discovery": discoveries,
	"conflict":  conflicts,
}

// session is what a workflow works with: one namespace of its own, and a record of what went over the wire.
type session struct {
	ctx       context.Context
	config    *rest.Config
	client    kubernetes.Interface
	namespace string
	wire      *recorder
}

func main() {
	if len(os.Args) < 3 || workflows[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: clientgo WORKFLOW NAMESPACE [CONTENT-TYPE]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], strings.Join(os.Args[3:], "")); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run(workflow, namespace, contentType string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.ContentType = contentType
	config.AcceptContentTypes = contentType
	config.QPS = -1
	wire := &recorder{}
	config.Wrap(wire.around)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	return workflows[workflow](&session{ctx, config, client, namespace, wire})
}

// eventually asks until the answer is yes.
func (s *session) eventually(what string, done func() bool) error {
	err := wait.PollUntilContextTimeout(s.ctx, 5*time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		return done(), nil
	})
	if err != nil {
		return fmt.Errorf("waited in vain for: %s", what)
	}
	return nil
}

// recorder keeps a line for each answer: method, path with query, status and content type; and the errors.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) around(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		line := request.Method + " " + request.URL.RequestURI()
		if err == nil {
			line = fmt.Sprintf("%s %d %s", line, response.StatusCode, response.Header.Get("Content-Type"))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, line)
		return response, err
	})
}

// find tells the first line that has all parts.
func (r *recorder) find(parts ...string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.lines {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			return line, true
		}
	}
	return "", false
}

func (r *recorder) print(to io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintln(to, strings.Join(r.lines, "\n"))
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
