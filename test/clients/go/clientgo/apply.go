package main

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
)

// apply applies a Deployment by typed configurations: create, own, conflict, force, extract, status, give up a field.
func apply(s *session) error {
	deployments := s.client.AppsV1().Deployments(s.namespace)
	labels := map[string]string{"app": "web"}
	container := func(image string) *applycorev1.ContainerApplyConfiguration {
		return applycorev1.Container().WithName("web").WithImage(image).
			WithPorts(applycorev1.ContainerPort().WithContainerPort(80).WithProtocol(corev1.ProtocolTCP)).
			WithEnv(applycorev1.EnvVar().WithName("A").WithValue("1"))
	}
	wanted := func(image string) *applyappsv1.DeploymentApplyConfiguration {
		return applyappsv1.Deployment("web", s.namespace).WithLabels(labels).WithSpec(applyappsv1.DeploymentSpec().
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
				WithSpec(applycorev1.PodSpec().WithContainers(container(image)))))
	}
	as := func(manager string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: manager} }
	two := wanted("nginx:1")
	two.Spec.WithReplicas(2)
	if _, err := deployments.Apply(s.ctx, two, as("one")); err != nil {
		return err
	}
	// Once its controller has nothing more to tell.
	err := s.eventually("an apply of the same writes nothing", func() bool {
		before, err := deployments.Get(s.ctx, "web", metav1.GetOptions{})
		if err != nil {
			return false
		}
		again, err := deployments.Apply(s.ctx, two, as("one"))
		return err == nil && again.ResourceVersion == before.ResourceVersion && again.Generation == 1
	})
	if err != nil {
		return err
	}
	_, err = deployments.Apply(s.ctx, wanted("nginx:2"), as("two"))
	conflicts := `Apply failed with 1 conflict: conflict with "one": .spec.template.spec.containers[name="web"].image`
	if !apierrors.IsConflict(err) || err.Error() != conflicts {
		return fmt.Errorf("a conflict is told as: %v", err)
	}
	forced := as("two")
	forced.Force = true
	if _, err = deployments.Apply(s.ctx, wanted("nginx:2"), forced); err != nil {
		return err
	}
	current, err := deployments.Get(s.ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	// What is mine: read, changed and applied again.
	mine, err := applyappsv1.ExtractDeployment(current, "one")
	if err != nil {
		return err
	}
	extracted := mine.Spec.Template.Spec.Containers[0]
	if extracted.Image != nil || *mine.Spec.Replicas != 2 || *extracted.Env[0].Value != "1" {
		return fmt.Errorf("extracted: image %v, replicas %v", extracted.Image, mine.Spec.Replicas)
	}
	mine.Spec.Replicas = nil
	given, err := deployments.Apply(s.ctx, mine, as("one"))
	if err != nil || *given.Spec.Replicas != 1 {
		return fmt.Errorf("replicas, given up, are %v, %v", given.Spec.Replicas, err)
	}
	status := applyappsv1.Deployment("web", s.namespace).WithStatus(applyappsv1.DeploymentStatus().
		WithConditions(applyappsv1.DeploymentCondition().WithType("Tested").WithStatus(corev1.ConditionTrue)))
	reported, err := deployments.ApplyStatus(s.ctx, status, as("reporter"))
	tested := func(condition appsv1.DeploymentCondition) bool { return condition.Type == "Tested" }
	if err != nil || !slices.ContainsFunc(reported.Status.Conditions, tested) || reported.Spec.Template.Spec.Containers[0].Image != "nginx:2" {
		return fmt.Errorf("the status, applied: %v, %v", reported.Status, err)
	}
	mineToo, err := applyappsv1.ExtractDeploymentStatus(reported, "reporter")
	if err != nil || len(mineToo.Status.Conditions) != 1 {
		return fmt.Errorf("the status, extracted: %v, %v", mineToo, err)
	}
	scale, err := deployments.ApplyScale(s.ctx, "web", scaleTo(3), forced)
	if err != nil || scale.Spec.Replicas != 3 {
		return fmt.Errorf("the scale, applied: %v, %v", scale, err)
	}
	return nil
}
