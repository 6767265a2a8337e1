// Command manager is an operator made with controller-runtime, unchanged: a reconciler with leader election, and the
// admission and conversion webhooks of its kind. It runs until it is told to end.
//
// Usage: manager NAMESPACE WEBHOOK-PORT FOLDER-OF-CERTIFICATE
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

const ownerIndex = "owner"

func main() {
	ctrl.SetLogger(funcr.New(func(_, line string) { fmt.Fprintln(os.Stderr, line) }, funcr.Options{}))
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
	fmt.Println("ended")
}

func run(namespace, port, certificates string) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addTypes(scheme)
	webhookPort, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	retry := 200 * time.Millisecond
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics:                       server.Options{BindAddress: "0"},
		WebhookServer:                 webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: webhookPort, CertDir: certificates}),
		LeaderElection:                true,
		LeaderElectionID:              "cakes.shop.example.com",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		RetryPeriod:                   &retry,
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	owner := func(object client.Object) []string {
		if controller := metav1.GetControllerOf(object); controller != nil && controller.Kind == "Cake" {
			return []string{controller.Name}
		}
		return nil
	}
	if err := manager.GetFieldIndexer().IndexField(ctx, &corev1.ConfigMap{}, ownerIndex, owner); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&Cake{}).Owns(&corev1.ConfigMap{}).Complete(&baker{manager.GetClient()}); err != nil {
		return err
	}
	hooks := ctrl.NewWebhookManagedBy(manager, &Cake{}).WithDefaulter(house{}).WithValidator(house{}).WithConverter(converter)
	if err := hooks.Complete(); err != nil {
		return err
	}
	if err := manager.AddReadyzCheck("webhook", manager.GetWebhookServer().StartedChecker()); err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		fmt.Println("leads")
	}()
	return manager.Start(ctx)
}
